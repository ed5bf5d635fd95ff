constexpr int module_limit = 7;
