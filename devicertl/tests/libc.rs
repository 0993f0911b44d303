//! The functions of the C library, against their meaning in C.

mod machine;

use devicertl::libc::*;

/// Copies of 0 to 20 bytes between all offsets of a buffer, overlapping or not.
#[test]
fn memmove_and_memcpy() {
    let before: Vec<u64> = (0..6).map(|i| 0x0706_0504_0302_0100 + 0x0808_0808_0808_0808 * i).collect();
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
    for (to, from, count) in (0..17).flat_map(|t| (0..17).flat_map(move |f| (0..20).map(move |c| (t, f, c))))
    {
        let mut expected = bytes(&before);
        expected.copy_within(from..from + count, to);
        let mut moved = before.clone();
        let start = moved.as_mut_ptr().cast::<u8>();
        // SAFETY: inside the 48 bytes.
        unsafe { assert_eq!(memmove(start.add(to), start.add(from), count), start.add(to)) };
        assert_eq!(bytes(&moved), expected, "{count} bytes from {from} to {to}");
        let mut copied = before.clone();
        // SAFETY: inside the 48 bytes, of two buffers.
        unsafe {
            memcpy(copied.as_mut_ptr().cast::<u8>().add(to), before.as_ptr().cast::<u8>().add(from), count)
        };
        assert_eq!(bytes(&copied)[to..to + count], bytes(&before)[from..from + count]);
    }
}

#[test]
fn memset_touches_no_more_than_it_shall() {
    for (at, count) in (0..9).flat_map(|at| (0..24).map(move |count| (at, count))) {
        let mut words = [0u64; 5];
        // SAFETY: inside the 40 bytes.
        unsafe { memset(words.as_mut_ptr().cast::<u8>().add(at), 0x1ab, count) };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let expected = (0..40).map(|i| if (at..at + count).contains(&i) { 0xab } else { 0 });
        assert!(bytes.into_iter().eq(expected), "{count} bytes at {at}");
    }
}

#[test]
fn comparisons() {
    // The order is that of unsigned bytes.
    let pairs: [(&[u8], &[u8]); 6] = [
        (b"abc\0x", b"abc\0y"),
        (b"abc\0", b"abd\0"),
        (b"ab\0", b"abc\0"),
        (b"\xff\0", b"a\0"),
        (b"\0", b"\0"),
        (b"b\0", b"abc\0"),
    ];
    for (a, b) in pairs {
        let text = |bytes: &'static [u8]| &bytes[..bytes.iter().position(|byte| *byte == 0).unwrap() + 1];
        let wanted = text(a).cmp(text(b)) as i32;
        // SAFETY: C strings of at least these lengths.
        unsafe {
            assert_eq!(strcmp(a.as_ptr(), b.as_ptr()).signum(), wanted, "{a:?} {b:?}");
            assert_eq!(strcmp(b.as_ptr(), a.as_ptr()).signum(), -wanted, "{a:?} {b:?}");
            assert_eq!(strncmp(a.as_ptr(), b.as_ptr(), 100).signum(), wanted, "{a:?} {b:?}");
            assert_eq!(strncmp(a.as_ptr(), b.as_ptr(), 0), 0);
            let both = a.len().min(b.len());
            assert_eq!(memcmp(a.as_ptr(), b.as_ptr(), both).signum(), a[..both].cmp(&b[..both]) as i32);
        }
    }
    // SAFETY: C strings.
    unsafe { assert_eq!(strncmp(c"abcd".as_ptr().cast(), c"abxy".as_ptr().cast(), 2), 0) };
}

#[test]
fn strings() {
    let mut place = [b'#'; 16];
    let to = place.as_mut_ptr();
    // SAFETY: C strings that fit.
    unsafe {
        let text = c"device".as_ptr().cast();
        assert_eq!(strlen(text), 6);
        assert_eq!(strcpy(to, text), to);
        assert_eq!(strcat(to, c" side".as_ptr().cast()), to);
        assert_eq!(&place, b"device side\0####");
        assert_eq!(strncat(to, c"!!!!".as_ptr().cast(), 2), to);
        assert_eq!(&place, b"device side!!\0##");
        assert_eq!(strncpy(to, c"ab".as_ptr().cast(), 4), to);
        assert_eq!(&place, b"ab\0\0ce side!!\0##");
        assert_eq!(strncpy(to, text, 3), to);
        assert_eq!(&place[..4], b"dev\0");
        let at = |found: *const u8| if found.is_null() { None } else { Some(found.offset_from(text)) };
        assert_eq!([at(strchr(text, b'e'.into())), at(strrchr(text, b'e'.into()))], [Some(1), Some(5)]);
        assert_eq!(
            [at(strchr(text, 0)), at(strrchr(text, 0)), at(strchr(text, b'x'.into()))],
            [Some(6), Some(6), None]
        );
        assert_eq!(at(strrchr(text, b'x'.into())), None);
        assert_eq!([at(memchr(text, b'i'.into(), 6)), at(memchr(text, b'i'.into(), 3))], [Some(3), None]);
    }
}
