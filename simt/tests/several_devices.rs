//! A driver with several devices. One test, because a process has one driver.

use simt::driver::*;
use std::ptr::null_mut;

#[test]
fn each_has_a_context_and_an_identity() {
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("OMPTARGET_SIMT_DEVICES", "3") };
    let (mut count, mut device) = (0, -1);
    let mut contexts = [null_mut(); 3];
    let mut ids = [types::CUuuid { bytes: [0; 16] }; 3];
    // SAFETY: places for the results.
    unsafe {
        assert_eq!(cuInit(0), CUresult::SUCCESS);
        assert_eq!((cuDeviceGetCount(&mut count), count), (CUresult::SUCCESS, 3));
        for number in 0..3 {
            let (context, id) = (&mut contexts[number as usize], &mut ids[number as usize]);
            assert_eq!(cuDevicePrimaryCtxRetain(context, number), CUresult::SUCCESS);
            assert_eq!(cuCtxSetCurrent(*context), CUresult::SUCCESS);
            assert_eq!((cuCtxGetDevice(&mut device), device), (CUresult::SUCCESS, number));
            assert_eq!(cuDeviceGetUuid(id, number), CUresult::SUCCESS);
            let name = std::ffi::CString::new(format!("0000:0{number}:00.0")).unwrap();
            assert_eq!(
                (cuDeviceGetByPCIBusId(&mut device, name.as_ptr()), device),
                (CUresult::SUCCESS, number)
            );
        }
        assert_eq!(cuDeviceGet(&mut device, 3), CUresult::INVALID_DEVICE);
        assert!(ids[0].bytes != ids[1].bytes && ids[1].bytes != ids[2].bytes);

        // Device 2 is current.
        let mut can = 0;
        assert_eq!((cuDeviceCanAccessPeer(&mut can, 2, 0), can), (CUresult::SUCCESS, 1));
        assert_eq!(cuCtxEnablePeerAccess(contexts[0], 0), CUresult::SUCCESS);
        assert_eq!(cuCtxEnablePeerAccess(contexts[0], 0), CUresult::PEER_ACCESS_ALREADY_ENABLED);
        assert_eq!(cuCtxEnablePeerAccess(contexts[2], 0), CUresult::INVALID_CONTEXT);

        let (mut on_two, mut on_zero, mut seen) = (0, 0, [0_u8; 4]);
        assert_eq!(cuMemAlloc_v2(&mut on_two, 4), CUresult::SUCCESS);
        assert_eq!(cuMemcpyHtoD_v2(on_two, [1_u8, 2, 3, 4].as_ptr().cast(), 4), CUresult::SUCCESS);
        assert_eq!(cuCtxSetCurrent(contexts[0]), CUresult::SUCCESS);
        assert_eq!(cuMemAlloc_v2(&mut on_zero, 4), CUresult::SUCCESS);
        assert_eq!(cuMemcpyPeer(on_zero, contexts[0], on_two, contexts[2], 4), CUresult::SUCCESS);
        assert_eq!(cuMemcpyDtoH_v2(seen.as_mut_ptr().cast(), on_zero, 4), CUresult::SUCCESS);
        assert_eq!(seen, [1, 2, 3, 4]);
        let ordinal = 9;
        assert_eq!(cuPointerGetAttribute((&raw mut device).cast(), ordinal, on_two), CUresult::SUCCESS);
        assert_eq!(device, 2);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(1), CUresult::SUCCESS);
        assert_eq!(cuCtxSetCurrent(contexts[1]), CUresult::SUCCESS);
        assert_eq!(cuMemAlloc_v2(&mut on_two, 4), CUresult::CONTEXT_IS_DESTROYED);
    }
}
