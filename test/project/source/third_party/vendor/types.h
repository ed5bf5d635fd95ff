#pragma once
namespace vendor {
using element = float;
}
