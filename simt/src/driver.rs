//! The CUDA driver API over the SIMT device.
