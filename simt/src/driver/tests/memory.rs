//! Every way to get memory, to copy and to fill, and what an address says.

use super::*;

#[test]
fn allocations_begin_and_end() {
    let _context = TestContext::new();
    let (a, b) = (alloc(1), alloc(1000));
    assert!(a != b && a.is_multiple_of(256) && b.is_multiple_of(256));
    ok!(cuMemFree_v2(a));
    fails!(INVALID_VALUE, cuMemFree_v2(a));
    fails!(INVALID_VALUE, cuMemFree_v2(b + 1));
    ok!(cuMemFree_v2(b));
    ok!(cuMemFree_v2(0));
    fails!(INVALID_VALUE, cuMemAlloc_v2(&mut 0, 0));
    fails!(INVALID_VALUE, cuMemAlloc_v2(null_mut(), 8));
    fails!(OUT_OF_MEMORY, cuMemAlloc_v2(&mut 0, usize::MAX / 2));
}

#[test]
fn allocations_in_stream_order() {
    let _context = TestContext::new();
    let own = stream(1);
    let mut address = 0;
    ok!(cuMemAllocAsync(&mut address, 64, own));
    write(address, &[5; 64]);
    ok!(cuMemFreeAsync(address, own));
    fails!(INVALID_VALUE, cuMemFreeAsync(address, own));
    let mut pool = null_mut();
    ok!(cuDeviceGetDefaultMemPool(&mut pool, 0));
    ok!(cuMemAllocFromPoolAsync(&mut address, 64, pool, own));
    ok!(cuMemFree_v2(address));
    fails!(INVALID_VALUE, cuMemAllocFromPoolAsync(&mut address, 64, null_mut(), own));
}

#[test]
fn the_pool_keeps_its_settings() {
    ok!(cuInit(0));
    let (mut pool, mut same) = (null_mut(), null_mut());
    ok!(cuDeviceGetDefaultMemPool(&mut pool, 0));
    ok!(cuDeviceGetMemPool(&mut same, 0));
    assert_eq!(pool, same);
    ok!(cuDeviceSetMemPool(0, pool));
    let (mut threshold, mut reuse, mut used) = (u64::MAX, 0 as c_int, u64::MAX);
    ok!(cuMemPoolSetAttribute(pool, 4, (&raw mut threshold).cast()));
    ok!(cuMemPoolSetAttribute(pool, 2, (&raw mut reuse).cast()));
    (threshold, reuse) = (0, 7);
    ok!(cuMemPoolGetAttribute(pool, 4, (&raw mut threshold).cast()));
    ok!(cuMemPoolGetAttribute(pool, 2, (&raw mut reuse).cast()));
    ok!(cuMemPoolGetAttribute(pool, 7, (&raw mut used).cast()));
    assert_eq!((threshold, reuse), (u64::MAX, 0));
    assert!(used < u64::MAX);
    fails!(INVALID_VALUE, cuMemPoolSetAttribute(pool, 7, (&raw mut used).cast()));
    fails!(INVALID_VALUE, cuMemPoolSetAttribute(pool, 4, null_mut()));
    fails!(INVALID_VALUE, cuMemPoolGetAttribute(pool, 9, (&raw mut used).cast()));
    fails!(NOT_SUPPORTED, cuMemPoolGetAttribute(pool, 8, (&raw mut used).cast()));
    ok!(cuMemPoolTrimTo(pool, 0));
}

#[test]
fn managed_memory_is_seen_by_both_sides() {
    let _context = TestContext::new();
    let mut address = 0;
    ok!(cuMemAllocManaged(&mut address, 16, 1));
    ok!(cuMemsetD32_v2(address, 0x0102_0304, 4));
    let host: *mut u32 = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: managed memory of four words.
    unsafe {
        assert_eq!(host.read(), 0x0102_0304);
        host.add(3).write(9);
    }
    assert_eq!(read(address + 12, 4), [9, 0, 0, 0]);
    ok!(cuMemAdvise(address, 16, 3, 0));
    ok!(cuMemAdvise_v2(address, 16, 3, CUmemLocation { kind: 2, id: 0 }));
    ok!(cuMemPrefetchAsync(address, 16, -1, DEFAULT));
    ok!(cuMemPrefetchAsync_v2(address, 16, CUmemLocation { kind: 1, id: 0 }, 0, DEFAULT));
    ok!(cuStreamAttachMemAsync(DEFAULT, address, 0, 4));
    fails!(INVALID_DEVICE, cuMemAdvise(address, 16, 3, 1));
    fails!(INVALID_VALUE, cuMemAdvise(address, 17, 3, 0));
    fails!(INVALID_VALUE, cuMemAdvise(address, 16, 7, 0));
    fails!(INVALID_VALUE, cuMemPrefetchAsync_v2(address, 16, CUmemLocation { kind: 1, id: 0 }, 1, DEFAULT));
    fails!(INVALID_VALUE, cuStreamAttachMemAsync(DEFAULT, address, 0, 3));
    let plain = alloc(16);
    fails!(INVALID_VALUE, cuMemPrefetchAsync(plain, 16, 0, DEFAULT));
    fails!(INVALID_VALUE, cuMemAllocManaged(&mut address, 16, 0));
    ok!(cuMemFree_v2(address));
}

#[test]
fn page_locked_memory_is_device_memory_too() {
    let _context = TestContext::new();
    let (mut a, mut b, mut address) = (null_mut(), null_mut(), 0);
    ok!(cuMemAllocHost_v2(&mut a, 8));
    ok!(cuMemHostAlloc(&mut b, 8, 2));
    ok!(cuMemHostGetDevicePointer_v2(&mut address, b, 0));
    assert_eq!(address, b.addr() as u64);
    ok!(cuMemsetD8_v2(address, 3, 8));
    ok!(cuMemcpyDtoH_v2(a, address, 8));
    // SAFETY: eight bytes that have been written.
    assert_eq!(unsafe { a.cast::<[u8; 8]>().read() }, [3; 8]);
    fails!(INVALID_VALUE, cuMemFree_v2(address));
    ok!(cuMemFreeHost(a));
    ok!(cuMemFreeHost(b));
    fails!(INVALID_VALUE, cuMemFreeHost(b));
    fails!(INVALID_VALUE, cuMemHostGetDevicePointer_v2(&mut address, b, 0));
    fails!(INVALID_VALUE, cuMemHostAlloc(&mut b, 8, 8));
    let device = alloc(8);
    fails!(INVALID_VALUE, cuMemFreeHost(std::ptr::without_provenance_mut(device as usize)));
}

#[test]
fn host_memory_is_registered_once() {
    let _context = TestContext::new();
    let buffer = [0_u8; 64];
    let at = |offset: usize| std::ptr::without_provenance_mut::<c_void>(buffer.as_ptr().addr() + offset);
    ok!(cuMemHostRegister_v2(at(16), 16, 0));
    for (offset, bytes) in [(16, 16), (0, 17), (31, 1), (20, 4)] {
        fails!(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(at(offset), bytes, 0));
    }
    ok!(cuMemHostRegister_v2(at(32), 16, 1));
    ok!(cuMemHostRegister_v2(at(0), 16, 0));
    fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(at(17)));
    for offset in [0, 16, 32] {
        ok!(cuMemHostUnregister(at(offset)));
    }
    fails!(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(at(16)));
    fails!(NOT_SUPPORTED, cuMemHostRegister_v2(at(0), 16, 2));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(at(0), 0, 0));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(null_mut(), 4, 0));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(at(0), usize::MAX, 0));
    let device = std::ptr::without_provenance_mut(alloc(8) as usize);
    fails!(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(device, 8, 0));
}

#[test]
fn copies_in_all_directions_with_and_without_a_stream() {
    let context = TestContext::new();
    let own = stream(1);
    let bytes: Vec<u8> = (0..100).collect();
    let (a, b) = (alloc(100), alloc(100));
    for stream in [None, Some(own), Some(DEFAULT)] {
        let mut back = vec![0; 100];
        let (from, to) = (bytes.as_ptr().cast(), back.as_mut_ptr().cast());
        ok!(cuMemsetD8_v2(a, 0, 100));
        ok!(cuMemsetD8_v2(b, 0, 100));
        match stream {
            None => {
                ok!(cuMemcpyHtoD_v2(a, from, 100));
                ok!(cuMemcpyDtoD_v2(b, a, 100));
                ok!(cuMemcpyDtoH_v2(to, b, 100));
            }
            Some(stream) => {
                ok!(cuMemcpyHtoDAsync_v2(a, from, 100, stream));
                ok!(cuMemcpyDtoDAsync_v2(b, a, 100, stream));
                ok!(cuMemcpyDtoHAsync_v2(to, b, 100, stream));
            }
        }
        assert_eq!(back, bytes);
    }
    ok!(cuMemsetD8_v2(b, 0, 100));
    ok!(cuMemcpyPeerAsync(b + 1, context.0, a, context.0, 99, own));
    assert_eq!(read(b, 100)[1..], bytes[..99]);
    fails!(INVALID_CONTEXT, cuMemcpyPeerAsync(b, null_mut(), a, context.0, 1, own));
}

#[test]
fn copies_are_bounded_by_the_allocation() {
    let _context = TestContext::new();
    let a = alloc(100);
    write(a, &[7; 100]);
    let mut host = [0_u8; 101];
    let host = host.as_mut_ptr().cast::<c_void>();
    for (address, bytes) in
        [(a, 101), (a + 1, 100), (a - 1, 1), (0, 1), (8, 1), (u64::MAX, 2), (a, usize::MAX)]
    {
        if bytes <= 101 {
            fails!(INVALID_VALUE, cuMemcpyHtoD_v2(address, host, bytes));
            fails!(INVALID_VALUE, cuMemcpyDtoH_v2(host, address, bytes));
        }
        fails!(INVALID_VALUE, cuMemcpyDtoD_v2(address, a, bytes));
        fails!(INVALID_VALUE, cuMemsetD8_v2(address, 0, bytes));
    }
    assert_eq!(read(a, 100), [7; 100], "nothing was written");
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(a, std::ptr::null(), 1));
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(null_mut(), a, 1));
    ok!(cuMemcpyHtoD_v2(a, std::ptr::null(), 0));
    ok!(cuMemcpyDtoH_v2(null_mut(), 0, 0));
    ok!(cuMemFree_v2(a));
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(host, a, 1));
}

#[test]
fn fills_of_all_widths() {
    let _context = TestContext::new();
    let own = stream(0);
    // More than one chunk of the implementation, and not a multiple of it.
    let count = 50_001;
    let a = alloc(count * 4 + 1);
    write(a + count as u64 * 4, &[99]);
    let words = |width: usize, value: u32| value.to_ne_bytes()[..width].repeat(count);
    ok!(cuMemsetD8_v2(a, 0xa5, count));
    assert!(read(a, count) == words(1, 0xa5));
    ok!(cuMemsetD8Async(a, 0xa6, count, own));
    assert!(read(a, count) == words(1, 0xa6));
    ok!(cuMemsetD16_v2(a, 0x1234, count));
    assert!(read(a, count * 2) == words(2, 0x1234));
    ok!(cuMemsetD16Async(a, 0x1235, count, own));
    assert!(read(a, count * 2) == words(2, 0x1235));
    ok!(cuMemsetD32_v2(a, 0x1234_5678, count));
    assert!(read(a, count * 4) == words(4, 0x1234_5678));
    ok!(cuMemsetD32Async(a, 0x1234_5679, count, own));
    assert!(read(a, count * 4) == words(4, 0x1234_5679));
    assert_eq!(read(a + count as u64 * 4, 1), [99], "what lies behind stays");
    ok!(cuMemsetD32_v2(a, 1, 0));
    fails!(INVALID_VALUE, cuMemsetD16_v2(a + 1, 1, 1));
    fails!(INVALID_VALUE, cuMemsetD32_v2(a + 2, 1, 1));
    fails!(INVALID_VALUE, cuMemsetD32_v2(a, 1, usize::MAX / 2));
    fails!(INVALID_VALUE, cuMemsetD32_v2(a, 1, count + 2));
}

#[test]
fn the_last_word_of_an_allocation_is_whole() {
    let _context = TestContext::new();
    let byte = alloc(1);
    ok!(cuMemsetD32_v2(byte, 0, 1));
    fails!(INVALID_VALUE, cuMemsetD8_v2(byte, 0, 5));
}

#[test]
fn fills_of_rows() {
    let _context = TestContext::new();
    let own = stream(1);
    let a = alloc(36);
    let expect = |row: &[u8]| {
        let mut all = [0; 36];
        for start in [0, 12, 24] {
            all[start..start + row.len()].copy_from_slice(row);
        }
        assert_eq!(read(a, 36), all);
        ok!(cuMemsetD8_v2(a, 0, 36));
    };
    ok!(cuMemsetD8_v2(a, 0, 36));
    ok!(cuMemsetD2D8Async(a, 12, 1, 5, 3, own));
    expect(&[1; 5]);
    ok!(cuMemsetD2D16Async(a, 12, 0x0202, 4, 3, own));
    expect(&[2; 8]);
    ok!(cuMemsetD2D32Async(a, 12, 0x0303_0303, 3, 3, own));
    expect(&[3; 12]);
    ok!(cuMemsetD2D8Async(a, 0, 1, 5, 0, own));
    ok!(cuMemsetD2D8Async(a, 0, 0, 36, 1, own));
    fails!(INVALID_VALUE, cuMemsetD2D8Async(a, 4, 1, 5, 2, own));
    fails!(INVALID_VALUE, cuMemsetD2D16Async(a, 13, 1, 5, 2, own));
    fails!(INVALID_VALUE, cuMemsetD2D8Async(a, 12, 1, 5, 4, own));
    fails!(INVALID_VALUE, cuMemsetD2D8Async(a, usize::MAX, 1, 1, usize::MAX, own));
    assert_eq!(read(a, 36), [0; 36], "nothing was written");
}

#[test]
fn copies_of_rows() {
    let _context = TestContext::new();
    let source: Vec<u8> = (0..40).collect();
    let device = alloc(40);
    write(device, &source);
    let address = |bytes: &[u8]| bytes.as_ptr().addr() as u64;
    // Three rows of four bytes out of rows of ten, from column 2 of row 1, to rows of five at column 1.
    let mut wanted = vec![0; 15];
    for row in 0..3 {
        wanted[row * 5 + 1..][..4].copy_from_slice(&source[(row + 1) * 10 + 2..][..4]);
    }
    source.as_ptr().expose_provenance();
    for from in [1, 2, 4] {
        for to in [1, 2, 4] {
            let target = alloc(15);
            ok!(cuMemsetD8_v2(target, 0, 15));
            let mut host = vec![0_u8; 15];
            let shape = CUDA_MEMCPY2D {
                srcXInBytes: 2,
                srcY: 1,
                srcMemoryType: from,
                srcHost: source.as_ptr().cast(),
                srcDevice: if from == 4 { address(&source) } else { device },
                srcArray: null_mut(),
                srcPitch: 10,
                dstXInBytes: 1,
                dstY: 0,
                dstMemoryType: to,
                dstHost: host.as_mut_ptr().cast(),
                dstDevice: target,
                dstArray: null_mut(),
                dstPitch: 5,
                WidthInBytes: 4,
                Height: 3,
            };
            ok!(cuMemcpy2D_v2(&shape));
            assert_eq!(if to == 1 { host.clone() } else { read(target, 15) }, wanted, "{from} to {to}");
            let bad = |change: &dyn Fn(&mut CUDA_MEMCPY2D)| {
                let mut bad = shape;
                change(&mut bad);
                cu!(cuMemcpy2D_v2(&bad))
            };
            assert_eq!(bad(&|shape| shape.srcPitch = 5), CUresult::INVALID_VALUE);
            assert_eq!(bad(&|shape| shape.dstMemoryType = 3), CUresult::NOT_SUPPORTED);
            assert_eq!(bad(&|shape| shape.srcY = usize::MAX), CUresult::INVALID_VALUE);
            assert_eq!(bad(&|shape| shape.Height = 0), CUresult::SUCCESS);
            if from == 2 {
                assert_eq!(bad(&|shape| shape.srcY = 2), CUresult::INVALID_VALUE, "the last row is outside");
            }
        }
    }
    fails!(INVALID_VALUE, cuMemcpy2D_v2(std::ptr::null()));
}

/// Value of an attribute of the type that the API gives it.
fn attribute<T: Default>(number: c_int, address: CUdeviceptr) -> T {
    let mut value = T::default();
    ok!(cuPointerGetAttribute((&raw mut value).cast(), number, address));
    value
}

#[test]
fn an_address_tells_what_it_is() {
    let context = TestContext::new();
    let plain = alloc(100);
    let (mut managed, mut host) = (0, null_mut());
    ok!(cuMemAllocManaged(&mut managed, 100, 1));
    ok!(cuMemAllocHost_v2(&mut host, 100));
    let host = host.addr() as u64;
    let mut ids = Vec::new();
    for (start, kind, is_managed) in [(plain, 2, 0), (managed, 2, 1), (host, 1, 0)] {
        let inside = start + 99;
        assert_eq!(attribute::<usize>(1, inside), context.0.addr());
        assert_eq!(attribute::<c_uint>(2, inside), kind);
        assert_eq!(attribute::<u64>(3, inside), inside);
        assert_eq!(attribute::<c_int>(8, inside), is_managed);
        assert_eq!(attribute::<c_int>(9, inside), 0);
        assert_eq!(attribute::<u64>(11, inside), start);
        assert_eq!(attribute::<usize>(12, inside), 100);
        ids.push(attribute::<u64>(7, inside));
    }
    assert_eq!(attribute::<usize>(4, host), host as usize);
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    let mut value = 0_u64;
    fails!(INVALID_VALUE, cuPointerGetAttribute((&raw mut value).cast(), 4, plain));
    fails!(INVALID_VALUE, cuPointerGetAttribute((&raw mut value).cast(), 2, plain + 100));
    fails!(
        INVALID_VALUE,
        cuPointerGetAttribute((&raw mut value).cast(), 2, (&raw const value).addr() as u64)
    );
    fails!(INVALID_VALUE, cuPointerGetAttribute((&raw mut value).cast(), 99, plain));
    fails!(INVALID_VALUE, cuPointerGetAttribute(null_mut(), 2, plain));
}

#[test]
fn memory_info_needs_a_context() {
    let (mut free, mut total) = (0, 0);
    ok!(cuInit(0));
    fails!(INVALID_CONTEXT, cuMemGetInfo_v2(&mut free, &mut total));
    let _context = TestContext::new();
    ok!(cuMemGetInfo_v2(&mut free, &mut total));
    assert!(free <= total && total > 0);
    ok!(cuMemGetInfo_v2(null_mut(), null_mut()));
}

#[test]
fn addresses_tell_by_themselves_whose_they_are() {
    let _context = TestContext::new();
    let (address, from, mut to) = (alloc(8), [1_u8, 2, 3, 4, 5, 6, 7, 8], [0_u8; 8]);
    let (from_host, to_host) =
        (from.as_ptr().expose_provenance() as u64, to.as_mut_ptr().expose_provenance() as u64);
    ok!(cuMemcpy(address, from_host, 8));
    ok!(cuMemcpyAsync(address + 4, address, 4, DEFAULT));
    ok!(cuMemcpy(to_host, address, 8));
    assert_eq!(to, [1, 2, 3, 4, 1, 2, 3, 4]);
    fails!(INVALID_VALUE, cuMemcpy(address, 0, 8));

    let (mut base, mut bytes) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&mut base, &mut bytes, address + 3));
    assert_eq!((base, bytes), (address, 8));
    fails!(NOT_FOUND, cuMemGetAddressRange_v2(&mut base, &mut bytes, from_host));

    let odd = alloc(5);
    ok!(cuMemGetAddressRange_v2(&mut base, &mut bytes, odd + 4));
    assert_eq!((base, bytes), (odd, 5));
    fails!(NOT_FOUND, cuMemGetAddressRange_v2(&mut base, &mut bytes, odd + 5));

    let (mut pitched, mut pitch) = (0, 0);
    ok!(cuMemAllocPitch_v2(&mut pitched, &mut pitch, 700, 3, 4));
    ok!(cuMemGetAddressRange_v2(null_mut(), &mut bytes, pitched));
    assert_eq!((pitch, bytes), (1024, 3 * 1024));
    ok!(cuMemsetD2D16_v2(pitched, pitch, 0x0201, 350, 3));
    assert_eq!(read(pitched + 2 * 1024 + 698, 2), [1, 2]);
    fails!(INVALID_VALUE, cuMemAllocPitch_v2(&mut pitched, &mut pitch, 700, 3, 5));
    fails!(INVALID_VALUE, cuMemAllocPitch_v2(&mut pitched, &mut pitch, usize::MAX, 3, 4));
}

#[test]
fn a_variable_of_a_module_has_its_own_range() {
    let context = TestContext::new();
    let ptx = c".version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .b8 first[20];
.visible .global .align 4 .b8 second[12];
";
    let (mut module, mut variable, mut size) = (null_mut(), 0, 0);
    ok!(cuModuleLoadData(&mut module, ptx.as_ptr().cast()));
    for (name, expected) in [(c"first", 20), (c"second", 12)] {
        ok!(cuModuleGetGlobal_v2(&mut variable, &mut size, module, name.as_ptr()));
        assert_eq!(size, expected);
        let (mut base, mut bytes, mut owner) = (0, 0, null_mut::<c_void>());
        ok!(cuMemGetAddressRange_v2(&mut base, &mut bytes, variable + 9));
        assert_eq!((base, bytes), (variable, expected));
        ok!(cuPointerGetAttribute((&raw mut bytes).cast(), 12, variable));
        ok!(cuPointerGetAttribute((&raw mut owner).cast(), 1, variable));
        assert_eq!((bytes, owner), (expected, context.0));
    }
    ok!(cuModuleUnload(module));
    fails!(NOT_FOUND, cuMemGetAddressRange_v2(&mut 0, &mut size, variable));
}

#[test]
fn registered_memory_is_the_host_s() {
    let context = TestContext::new();
    let buffer = [0_u8; 64];
    let start = buffer.as_ptr().addr();
    let pointer = std::ptr::without_provenance_mut::<c_void>(start);
    ok!(cuMemHostRegister_v2(pointer, 48, 0));
    let (address, mut kind, mut owner, mut host) =
        (start as u64 + 47, 0 as c_uint, null_mut::<c_void>(), 0_u64);
    ok!(cuPointerGetAttribute((&raw mut kind).cast(), 2, address));
    ok!(cuPointerGetAttribute((&raw mut owner).cast(), 1, address));
    ok!(cuPointerGetAttribute((&raw mut host).cast(), 4, address));
    assert_eq!((kind, owner, host), (MEMORYTYPE_HOST, context.0, address));
    fails!(INVALID_VALUE, cuPointerGetAttribute((&raw mut host).cast(), 3, address));
    fails!(INVALID_VALUE, cuPointerGetAttribute((&raw mut kind).cast(), 2, address + 1));
    fails!(NOT_FOUND, cuMemGetAddressRange_v2(&mut 0, &mut 0, address));
    ok!(cuMemHostUnregister(pointer));
    fails!(INVALID_VALUE, cuPointerGetAttribute((&raw mut kind).cast(), 2, address));
}

#[test]
fn several_attributes_at_once_are_zero_where_there_is_none() {
    let _context = TestContext::new();
    let address = alloc(16);
    for (address, expected) in
        [(address + 1, (_context.0, MEMORYTYPE_DEVICE, address)), (1 << 40, (null_mut(), 0, 0))]
    {
        let (mut context, mut kind, mut start) = (wrong_handles()[1], 9_u32, 9_u64);
        let mut data: [*mut c_void; 3] =
            [(&raw mut context).cast(), (&raw mut kind).cast(), (&raw mut start).cast()];
        ok!(cuPointerGetAttributes(3, [1, 2, 11].as_ptr(), data.as_mut_ptr(), address));
        assert_eq!((context, kind, start), expected);
    }
    let (mut pinned, mut flags) = (null_mut(), 0);
    ok!(cuMemAllocHost_v2(&mut pinned, 64));
    ok!(cuMemHostGetFlags(&mut flags, pinned));
    assert_eq!(flags, 3);
    fails!(INVALID_VALUE, cuMemHostGetFlags(&mut flags, (&raw mut flags).cast()));
    ok!(cuMemFreeHost(pinned));
}
