// Regions of one thread in the form of host code, which clang does not write for a device.
#ifndef HOST_SERIAL_H
#define HOST_SERIAL_H

#ifdef __NVPTX__
void __kmpc_serialized_parallel(void *at, int thread);
void __kmpc_end_serialized_parallel(void *at, int thread);
#define DEVICE 1
#else
// What the host version does is not tested.
#define __kmpc_serialized_parallel(...) (void)0
#define __kmpc_end_serialized_parallel(...) (void)0
#define DEVICE 0
#endif

#endif
