#include "analyzer/frontend/Frontend.h"
#include "gtest/gtest.h"
TEST(Parse, Placeholder) {}
