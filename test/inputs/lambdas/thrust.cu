// The same with the libraries of the toolkit: Thrust's algorithms and CUB's device-wide loops.
// REQUIRES: toolkit
// REQUIRES: libraries
#include <cub/device/device_for.cuh>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

void calls(float *a) {
  auto first = thrust::make_counting_iterator(0);
  thrust::for_each(thrust::device, first, first + 4096, [=] __device__(int i) {
    a[i * 32] = 1; // EXPECT: global 32 transactions 32 sectors [rule=global-stride]
  });
  thrust::for_each(thrust::device, first, first + 4096, [=] __device__(int i) {
    a[i] = 1; // EXPECT: clean (global 1 transaction 4 sectors)
  });
  cub::DeviceFor::Bulk(4096, [=] __device__(int i) {
    a[i * 16] = 1; // EXPECT: global 16 transactions 32 sectors [rule=global-stride]
  });
}
