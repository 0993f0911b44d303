//! What instructions are decoded to.

use simt::code::*;
use simt::ptx::decode;

const HEAD: &str = ".version 7.8\n.target sm_90\n.address_size 64\n";

/// Registers of [`body`], as byte offsets: behind two words of parameters and one of the return value.
const P: fn(u32) -> Pred = |n| Pred(2 + n);
const RS: fn(u32) -> Reg = |n| Reg(768 + 64 * n);
const R: fn(u32) -> Reg = |n| Reg(768 + 8 * 64 + 128 * n);
const RD: fn(u32) -> Reg = |n| Reg(768 + 8 * 64 + 8 * 128 + 256 * n);

const S32: Int = Int { width: Width::W32, signed: true };
const U16: Int = Int { width: Width::W16, signed: false };
const U32: Int = Int { width: Width::W32, signed: false };
const U64: Int = Int { width: Width::W64, signed: false };
const U8: Int = Int { width: Width::W8, signed: false };

/// The function made of some statements; its last instruction is the return that every function gets.
fn body(statements: &str) -> Function {
    let text = format!(
        "{HEAD}.func (.param .b32 out) f(.param .align 8 .b8 in[16])\n{{\n.reg .pred %p<8>;\n.reg .b16 %rs<8>;\n\
         .reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n{statements}\n}}\n"
    );
    let module = decode(&text).unwrap_or_else(|report| panic!("{report}"));
    module.functions.into_iter().find(|function| function.name == "f").unwrap()
}

/// The single operation of a statement.
fn one(statement: &str) -> Op {
    let function = body(statement);
    assert_eq!(function.code.len(), 2, "{statement}: {:?}", function.code);
    assert_eq!(function.code[0].guard, Guard::ALWAYS);
    function.code[0].op
}

/// The message for a wrong statement, which stands in line 10.
fn refused(statement: &str) -> String {
    let text = format!(
        "{HEAD}.func (.param .b32 out) f(.param .align 8 .b8 in[16])\n{{\n.reg .pred %p<8>;\n.reg .b16 %rs<8>; .reg .b32 %r<8>;\n\
         .reg .b64 %rd<8>; .local .align 8 .b8 depot[64]; .param .b32 arg;\n\n{statement}\n}}\n"
    );
    decode(&text).expect_err(statement).message
}

/// The value of a source in the constant pool, from its first lane; all lanes must hold it.
fn constant(function: &Function, src: Src, bytes: usize) -> u64 {
    assert!(src.0 < 0, "{src:?} is a register");
    let pool: Vec<u8> = function.constants.chunks.iter().flat_map(|chunk| chunk.0).collect();
    let lanes = &pool[!src.0 as usize..][..LANES * bytes];
    assert!(lanes.chunks(bytes).all(|lane| lane == &lanes[..bytes]));
    let mut value = [0; 8];
    value[..bytes].copy_from_slice(&lanes[..bytes]);
    u64::from_le_bytes(value)
}

fn src(reg: Reg) -> Src {
    Src::reg(reg)
}

#[test]
fn integer_arithmetic() {
    let int2 = |op, ty| Op::Int2 { op, ty, dst: R(0), a: src(R(1)), b: src(R(2)) };
    assert_eq!(one("add.s32 %r0, %r1, %r2;"), int2(IntOp2::Add, S32));
    assert_eq!(one("sub.u32 %r0, %r1, %r2;"), int2(IntOp2::Sub, U32));
    assert_eq!(one("mul.hi.u32 %r0, %r1, %r2;"), int2(IntOp2::MulHi, U32));
    assert_eq!(one("and.b32 %r0, %r1, %r2;"), int2(IntOp2::And, U32));
    assert_eq!(one("rem.s32 %r0, %r1, %r2;"), int2(IntOp2::Rem, S32));
    let saturating = Op::SatS32 { subtract: true, dst: R(0), a: src(R(1)), b: src(R(2)) };
    assert_eq!(one("sub.sat.s32 %r0, %r1, %r2;"), saturating);
    let wide = Op::MulWide { ty: S32, dst: RD(0), a: src(R(1)), b: src(R(2)) };
    assert_eq!(one("mul.wide.s32 %rd0, %r1, %r2;"), wide);
    let mad = Op::MadWide { ty: U32, dst: RD(0), a: src(R(1)), b: src(R(2)), c: src(RD(3)) };
    assert_eq!(one("mad.wide.u32 %rd0, %r1, %r2, %rd3;"), mad);
    let shift =
        Op::Shift { op: ShiftOp::RightLogical, width: Width::W64, dst: RD(0), a: src(RD(1)), b: src(R(2)) };
    assert_eq!(one("shr.b64 %rd0, %rd1, %r2;"), shift);
    let count = Op::Count { op: CountOp::Clz, ty: U64, dst: R(0), a: src(RD(1)) };
    assert_eq!(one("clz.b64 %r0, %rd1;"), count);
    let lop3 = Op::Lop3 { table: 0x96, dst: R(0), a: src(R(1)), b: src(R(2)), c: src(R(3)) };
    assert_eq!(one("lop3.b32 %r0, %r1, %r2, %r3, 0x96;"), lop3);
    let funnel =
        Op::Funnel { left: false, clamp: true, dst: R(0), a: src(R(1)), b: src(R(2)), amount: src(R(3)) };
    assert_eq!(one("shf.r.clamp.b32 %r0, %r1, %r2, %r3;"), funnel);
}

#[test]
fn carries() {
    let carry = |op, carry_in, carry_out, c| Op::Carry {
        op,
        ty: U32,
        carry_in,
        carry_out,
        dst: R(0),
        a: src(R(1)),
        b: src(R(2)),
        c: src(R(c)),
    };
    assert_eq!(one("add.cc.u32 %r0, %r1, %r2;"), carry(CarryOp::Add, false, true, 1));
    assert_eq!(one("addc.u32 %r0, %r1, %r2;"), carry(CarryOp::Add, true, false, 1));
    assert_eq!(one("subc.cc.u32 %r0, %r1, %r2;"), carry(CarryOp::Sub, true, true, 1));
    assert_eq!(one("mad.lo.cc.u32 %r0, %r1, %r2, %r3;"), carry(CarryOp::MadLo, false, true, 3));
    assert_eq!(one("madc.hi.u32 %r0, %r1, %r2, %r3;"), carry(CarryOp::MadHi, true, false, 3));
}

#[test]
fn floating_point_keeps_every_modifier() {
    let mode = |round, ftz, sat| FloatMode { round, ftz, sat, ..FloatMode::DEFAULT };
    let float2 = |op, mode| Op::Float2 { op, ty: Float::F32, mode, dst: R(0), a: src(R(1)), b: src(R(2)) };
    assert_eq!(one("add.f32 %r0, %r1, %r2;"), float2(FloatOp2::Add, FloatMode::DEFAULT));
    assert_eq!(
        one("mul.rz.ftz.sat.f32 %r0, %r1, %r2;"),
        float2(FloatOp2::Mul, mode(Round::Zero, true, true))
    );
    assert_eq!(
        one("div.approx.ftz.f32 %r0, %r1, %r2;"),
        float2(FloatOp2::DivApprox, mode(Round::Nearest, true, false))
    );
    assert_eq!(one("div.rp.f32 %r0, %r1, %r2;"), float2(FloatOp2::Div, mode(Round::Up, false, false)));
    assert_eq!(one("max.NaN.f32 %r0, %r1, %r2;"), float2(FloatOp2::MaxNan, FloatMode::DEFAULT));
    let fma = Op::Fma {
        ty: Float::F64,
        mode: mode(Round::Down, false, false),
        dst: RD(0),
        a: src(RD(1)),
        b: src(RD(2)),
        c: src(RD(3)),
    };
    assert_eq!(one("fma.rm.f64 %rd0, %rd1, %rd2, %rd3;"), fma);
    let rcp = Op::Float1 {
        op: FloatOp1::RcpApprox,
        ty: Float::F64,
        mode: mode(Round::Nearest, true, false),
        dst: RD(0),
        a: src(RD(1)),
    };
    assert_eq!(one("rcp.approx.ftz.f64 %rd0, %rd1;"), rcp);
}

/// Sources of f16 in an operation of f32 are widened first.
#[test]
fn mixed_precision() {
    let code = body("fma.rz.sat.f32.f16 %r0, %rs1, %rs2, %r3;").code;
    let widened = |op| match op {
        Op::ConvertFloat { to: Float::F32, from: Float::F16, integral: false, dst, src, .. } => {
            (src, Src::reg(dst))
        }
        _ => panic!("{op:?}"),
    };
    let ((from_a, a), (from_b, b)) = (widened(code[0].op), widened(code[1].op));
    assert_eq!((from_a, from_b), (src(RS(1)), src(RS(2))));
    let mode = FloatMode { round: Round::Zero, sat: true, ..FloatMode::DEFAULT };
    assert_eq!(code[2].op, Op::Fma { ty: Float::F32, mode, dst: R(0), a, b, c: src(R(3)) });
    let code = body("sub.f32.f16 %r0, %rs1, %r2;").code;
    assert!(matches!(code[1].op, Op::Float2 { op: FloatOp2::Sub, b, .. } if b == src(R(2))));
    assert!(refused("mul.f32.f16 %r0, %rs1, %r2;").contains("unknown instruction form"));
    assert!(refused("add.ftz.f32.f16 %r0, %rs1, %r2;").contains("unknown instruction form"));
}

/// Packed operations are done part by part.
#[test]
fn packed_numbers() {
    let code = body("@%p1 fma.rz.f32x2 %rd0, %rd1, %rd2, %rd3;").code;
    let ops: Vec<_> = code.iter().map(|inst| inst.op).collect();
    assert!(matches!(ops[..3], [Op::Unpack { .. }, Op::Unpack { .. }, Op::Unpack { .. }]));
    assert!(matches!(
        ops[3..5],
        [Op::Fma { ty: Float::F32, .. }, Op::Fma { mode: FloatMode { round: Round::Zero, .. }, .. }]
    ));
    assert!(matches!(ops[5], Op::Pack { width: Width::W64, count: 2, dst, .. } if dst == RD(0)));
    assert!(
        code[..5].iter().all(|inst| inst.guard == Guard::ALWAYS) && code[5].guard == Guard::new(P(1), false)
    );
}

#[test]
fn comparisons_and_selection() {
    let int = |cmp, ty| Op::CompareInt { cmp, ty, dst: P(0), a: src(R(1)), b: src(R(2)) };
    assert_eq!(one("setp.lt.s32 %p0, %r1, %r2;"), int(Compare::Lt, S32));
    assert_eq!(one("setp.hs.u32 %p0, %r1, %r2;"), int(Compare::Ge, U32));
    let float = Op::CompareFloat {
        cmp: Compare::Neu,
        ty: Float::F32,
        ftz: true,
        dst: P(0),
        a: src(R(1)),
        b: src(R(2)),
    };
    assert_eq!(one("setp.neu.ftz.f32 %p0, %r1, %r2;"), float);
    let select = Op::Select { width: Width::W16, dst: RS(0), a: src(RS(1)), b: src(RS(2)), pred: P(3) };
    assert_eq!(one("selp.b16 %rs0, %rs1, %rs2, %p3;"), select);
    let logic = |op, a, b| Op::Pred { op, dst: P(0), a, b };
    assert_eq!(one("and.pred %p0, %p1, %p2;"), logic(PredOp::And, P(1), P(2)));
    assert_eq!(one("not.pred %p0, %p1;"), logic(PredOp::Xor, P(1), Pred::TRUE));
    assert_eq!(one("mov.pred %p0, -1;"), logic(PredOp::Or, Pred::TRUE, Pred::FALSE));
    assert_eq!(one("mov.pred %p0, 0;"), logic(PredOp::Or, Pred::FALSE, Pred::FALSE));
}

/// `setp` with two results under a guard that is one of them: the guard is copied first.
#[test]
fn two_predicates_under_a_guard() {
    let code = body("@!%p0 setp.lt.and.s32 %p0|%p1, %r1, %r2, !%p1;").code;
    let guard = code[2].guard;
    assert_eq!(code[0].guard, Guard::ALWAYS, "!c");
    assert!(
        code[1].guard == Guard::ALWAYS
            && matches!(code[1].op, Op::Pred { a, b: Pred::TRUE, .. } if a == P(0))
    );
    assert!(!guard.negated() && guard.pred() != P(0) && guard.pred() != P(1));
    assert!(code[2..8].iter().all(|inst| inst.guard == guard));
    let stores: Vec<_> = code[6..8].iter().map(|inst| inst.op).collect();
    assert!(
        matches!(stores[..], [Op::Pred { dst: p, .. }, Op::Pred { dst: q, .. }] if (p, q) == (P(0), P(1)))
    );
}

#[test]
fn conversions() {
    let int = |to, from, to_register, from_register, sat, dst, from_reg| Op::ConvertInt {
        to,
        from,
        to_register,
        from_register,
        sat,
        dst,
        src: src(from_reg),
    };
    let (w16, w32, w64) = (Width::W16, Width::W32, Width::W64);
    assert_eq!(one("cvt.u64.u32 %rd0, %r1;"), int(U64, U32, w64, w32, false, RD(0), R(1)));
    assert_eq!(one("cvt.sat.u8.u32 %rs0, %r1;"), int(U8, U32, w16, w32, true, RS(0), R(1)));
    assert_eq!(one("cvt.u16.u8 %r0, %rd1;"), int(U16, U8, w32, w64, false, R(0), RD(1)), "wider registers");
    let down = FloatMode { round: Round::Down, ..FloatMode::DEFAULT };
    let floor = Op::ConvertFloat {
        to: Float::F64,
        from: Float::F64,
        integral: true,
        mode: down,
        dst: RD(0),
        src: src(RD(1)),
    };
    assert_eq!(one("cvt.rmi.f64.f64 %rd0, %rd1;"), floor);
    let narrow = FloatMode { ftz: true, sat: true, ..FloatMode::DEFAULT };
    let narrow = Op::ConvertFloat {
        to: Float::F32,
        from: Float::F64,
        integral: false,
        mode: narrow,
        dst: R(0),
        src: src(RD(1)),
    };
    assert_eq!(one("cvt.rn.ftz.sat.f32.f64 %r0, %rd1;"), narrow);
    let zero = FloatMode { round: Round::Zero, ..FloatMode::DEFAULT };
    let to_int =
        Op::FloatToInt { to: S32, from: Float::F32, to_register: w32, mode: zero, dst: R(0), src: src(R(1)) };
    assert_eq!(one("cvt.rzi.s32.f32 %r0, %r1;"), to_int);
    let to_float = Op::IntToFloat {
        to: Float::F16,
        from: S32,
        from_register: w32,
        mode: FloatMode::DEFAULT,
        dst: RS(0),
        src: src(R(1)),
    };
    assert_eq!(one("cvt.rn.f16.s32 %rs0, %r1;"), to_float);
}

#[test]
fn loads_and_stores() {
    let access = Access {
        space: Space::Generic,
        element: U32,
        register: Width::W32,
        order: Order::Weak,
        scope: Scope::Sys,
        non_coherent: false,
        for_cas: false,
    };
    let load = |access, offset| Op::Load { access, dst: R(0), address: src(RD(1)), offset };
    assert_eq!(one("ld.u32 %r0, [%rd1];"), load(access, 0));
    assert_eq!(one("ld.b32 %r0, [%rd1+-8];"), load(access, -8));
    let nc = Access { space: Space::Global, non_coherent: true, ..access };
    assert_eq!(one("ld.global.nc.f32 %r0, [%rd1+4];"), load(nc, 4));
    let narrow = Access { space: Space::Shared, element: Int { width: Width::W8, signed: true }, ..access };
    assert_eq!(one("ld.shared.s8 %r0, [%rd1];"), load(narrow, 0));
    let acquire = Access { space: Space::Global, order: Order::Acquire, scope: Scope::Gpu, ..access };
    assert_eq!(one("ld.acquire.gpu.global.u32 %r0, [%rd1];"), load(acquire, 0));
    let volatile = Access { order: Order::Volatile, ..access };
    assert_eq!(one("ld.volatile.u32 %r0, [%rd1];"), load(volatile, 0));
    let local = Access { space: Space::Local, element: U8, ..access };
    let store = Op::Store { access: local, src: src(R(2)), address: src(RD(1)), offset: 0 };
    assert_eq!(one("st.local.u8 [%rd1], %r2;"), store, "the low bits of a wider register");
    let Op::LoadVector { count: 2, dst, access: found, .. } = one("ld.v2.u32 {%r3, %r4}, [%rd1];") else {
        panic!()
    };
    assert_eq!((&dst[..2], found), (&[R(3), R(4)][..], access));
    let Op::LoadVector { count: 4, dst, .. } = one("ld.v4.u32 {%r3, _, %r4, _}, [%rd1];") else { panic!() };
    assert!(dst[1] != dst[3] && dst[1].0 >= RD(8).0, "unused elements go to registers of their own");
}

#[test]
fn atomics_and_fences() {
    let atom = |op, space, order, scope| Op::Atom {
        op,
        space,
        order,
        scope,
        dst: R(0),
        address: src(RD(1)),
        offset: 4,
        value: src(R(2)),
    };
    let plain = |op| atom(op, Space::Global, Order::Relaxed, Scope::Gpu);
    assert_eq!(one("atom.global.add.u32 %r0, [%rd1+4], %r2;"), plain(AtomOp::Add(U32)));
    assert_eq!(one("atom.global.max.s32 %r0, [%rd1+4], %r2;"), plain(AtomOp::Max(S32)));
    assert_eq!(one("atom.global.inc.u32 %r0, [%rd1+4], %r2;"), plain(AtomOp::Inc));
    assert_eq!(one("atom.global.add.f32 %r0, [%rd1+4], %r2;"), plain(AtomOp::FloatAdd(Float::F32)));
    let ordered = atom(AtomOp::Or(Width::W32), Space::Shared, Order::AcqRel, Scope::Cta);
    assert_eq!(one("atom.acq_rel.cta.shared.or.b32 %r0, [%rd1+4], %r2;"), ordered);
    let Op::Cas { width: Width::W64, order: Order::Release, scope: Scope::Sys, compare, value, .. } =
        one("atom.release.sys.cas.b64 %rd0, [%rd1], %rd2, %rd3;")
    else {
        panic!()
    };
    assert_eq!((compare, value), (src(RD(2)), src(RD(3))));
    let Op::Atom { dst, .. } = one("red.global.add.u32 [%rd1], %r2;") else { panic!() };
    assert!(dst.0 >= RD(8).0, "a scratch register");
    assert_eq!(one("membar.gl;"), Op::Fence { order: Order::SeqCst, scope: Scope::Gpu });
    assert_eq!(one("fence.acq_rel.sys;"), Op::Fence { order: Order::AcqRel, scope: Scope::Sys });
}

#[test]
fn address_spaces() {
    let function = body("cvta.shared.u64 %rd0, %rd1;");
    let Op::Bfi { width: Width::W64, b, pos, len, .. } = function.code[0].op else { panic!() };
    assert_eq!(constant(&function, b, 8), SHARED_WINDOW);
    assert_eq!((constant(&function, pos, 4), constant(&function, len, 4)), (0, 32));
    let function = body("cvta.to.shared.u64 %rd0, %rd1;");
    let Op::Int2 { op: IntOp2::And, ty: U64, b, .. } = function.code[0].op else { panic!() };
    assert_eq!(constant(&function, b, 8), u64::from(u32::MAX));
    let function = body("cvta.local.u64 %rd0, %rd1;");
    assert!(matches!(function.code[0].op, Op::Int2 { op: IntOp2::Add, ty: U64, .. }));
    let function = body("cvta.to.local.u64 %rd0, %rd1;");
    let Op::Int2 { op: IntOp2::Sub, ty: U64, b, .. } = function.code[0].op else { panic!() };
    assert_eq!(constant(&function, b, 8), LOCAL_WINDOW);
    let same = Op::Mov { width: Width::W64, dst: RD(0), src: src(RD(1)) };
    assert_eq!(one("cvta.global.u64 %rd0, %rd1;"), same);
    assert_eq!(one("cvta.to.global.u64 %rd0, %rd1;"), same);
    let is = Op::IsSpace { space: Space::Shared, dst: P(0), a: src(RD(1)) };
    assert_eq!(one("isspacep.shared %p0, %rd1;"), is);
}

#[test]
fn warp_operations_and_barriers() {
    let function = body("bar.sync 0;\nbarrier.sync 7, %r1;\nbarrier.sync.aligned 1;");
    let Op::Barrier { aligned: true, id, count: None, kind: simt::code::BarrierKind::Sync } =
        function.code[0].op
    else {
        panic!()
    };
    assert_eq!(constant(&function, id, 4), 0);
    assert!(
        matches!(function.code[1].op, Op::Barrier { aligned: false, count: Some(count), .. } if count == src(R(1)))
    );
    assert!(matches!(function.code[2].op, Op::Barrier { aligned: true, count: None, .. }));
    let function = body("shfl.sync.down.b32 %r0|%p1, %r2, %r3, 31, -1;");
    let Op::Shfl { mode: ShflMode::Down, dst, in_range, mask, .. } = function.code[0].op else { panic!() };
    assert_eq!((dst, in_range, constant(&function, mask, 4)), (R(0), P(1), 0xffff_ffff));
    let code = body("vote.sync.ballot.b32 %r0, !%p1, %r2;").code;
    let Op::Pred { op: PredOp::Xor, dst: inverted, a, b: Pred::TRUE } = code[0].op else { panic!() };
    assert_eq!(a, P(1));
    assert_eq!(code[1].op, Op::Ballot { dst: R(0), a: inverted, mask: src(R(2)) });
    assert_eq!(one("bar.warp.sync %r1;"), Op::WarpBarrier { mask: src(R(1)) });
    assert_eq!(one("activemask.b32 %r1;"), Op::ActiveMask { dst: R(1) });
}

#[test]
fn moves() {
    let tid = Op::Special { width: Width::W32, dst: R(0), special: Special::Tid(1) };
    assert_eq!(one("mov.u32 %r0, %tid.y;"), tid);
    let timer = Op::Special { width: Width::W64, dst: RD(0), special: Special::GlobalTimer };
    assert_eq!(one("mov.b64 %rd0, %globaltimer;"), timer);
    let grid = |width, dst| Op::Special { width, dst, special: Special::GridId };
    assert_eq!(one("mov.b64 %rd0, %gridid;"), grid(Width::W64, RD(0)));
    assert_eq!(one("mov.u32 %r0, %gridid;"), grid(Width::W32, R(0)));
    let Op::Pack { width: Width::W64, count: 2, dst, parts } = one("mov.b64 %rd0, {%r1, %r2};") else {
        panic!()
    };
    assert_eq!((dst, &parts[..2]), (RD(0), &[src(R(1)), src(R(2))][..]));
    let Op::Unpack { width: Width::W32, count: 2, parts, .. } = one("mov.b32 {%rs1, _}, %r0;") else {
        panic!()
    };
    assert_eq!(parts[0], RS(1));
    let Op::Unpack { width: Width::W64, count: 4, .. } = one("mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd0;")
    else {
        panic!()
    };
}

/// A 32-bit literal with this pattern was once taken for a symbol.
#[test]
fn literals() {
    let value = |text: &str, bytes| {
        let function = body(text);
        let Op::Mov { src, .. } = function.code[0].op else { panic!("{text}") };
        constant(&function, src, bytes)
    };
    assert_eq!(value("mov.b32 %r0, 0x5a5a5a5a;", 4), 0x5a5a_5a5a);
    assert_eq!(value("mov.b64 %rd0, 0x5a5a5a5a5a5a5a5a;", 8), 0x5a5a_5a5a_5a5a_5a5a);
    assert_eq!(value("mov.b16 %rs0, -1;", 2), 0xffff);
    assert_eq!(value("mov.b32 %r0, 0f3F800000;", 4), 0x3f80_0000);
    assert_eq!(value("mov.f64 %rd0, 0d3FF0000000000000;", 8), 1f64.to_bits());
    assert_eq!(value("mov.f32 %r0, 0d3FF8000000000000;", 4), u64::from(1.5f32.to_bits()));
    for (text, expected) in [
        ("WARP_SZ", 32),
        ("WARP_SZ*2-1", 63),
        ("4+5", 9),
        ("(1<<4)|3", 19),
        ("~0", 0xffff_ffff),
        ("-(3+4)", (-7i32) as u32),
        ("!0", 1),
        ("5>3?7:9", 7),
        ("- 1+2", 1),
    ] {
        assert_eq!(value(&format!("mov.u32 %r0, {text};"), 4), u64::from(expected), "{text}");
    }
    assert!(refused("mov.b32 %r0, 1<<32;").contains("literal does not fit 32 bits"));
    assert!(refused("ld.local.u32 %r0, arg[1];").contains("`arg` is no array of one dimension"));
    assert!(refused("mov.b32 %r0, 1/0;").contains("division by zero"));
    assert!(refused("mov.b16 %rs0, 65536;").starts_with("line 10: literal does not fit 16 bits: mov.b16"));
    assert!(refused("add.f32 %r0, %r1, 1;").contains("integer literal for a floating-point operand"));
}

/// Special registers may stand where registers do; each gets a scratch register.
#[test]
fn special_registers_as_operands() {
    let code = body("mad.lo.s32 %r0, %ctaid.x, %ntid.x, %tid.x;").code;
    let specials: Vec<_> = code[..3].iter().map(|inst| inst.op).collect();
    let [Op::Special { dst: a, .. }, Op::Special { dst: b, .. }, Op::Special { dst: c, .. }] = specials[..]
    else {
        panic!()
    };
    let mad = Op::Mad { half: Half::Lo, ty: S32, dst: R(0), a: src(a), b: src(b), c: src(c) };
    assert!(code[3].op == mad && a != b && b != c && a != c);
    // Moves and conversions may read the lower half.
    assert!(matches!(one("mov.u16 %rs0, %tid.x;"), Op::Special { width: Width::W16, .. }));
    let code = body("cvt.u32.u16 %r0, %ntid.x;").code;
    assert!(matches!(code[1].op, Op::ConvertInt { from: U16, from_register: Width::W32, .. }), "{code:?}");
    assert!(refused("add.u16 %rs0, %rs1, %tid.x;").contains("special register of 32 bits"));
}

#[test]
fn guards_on_any_instruction() {
    let function = body("@%p1 add.s32 %r0, %r1, %r2;\n@!%p2 exit;\n@%p1 bar.warp.sync %r1;");
    let guards: Vec<_> = function.code[..3].iter().map(|inst| inst.guard).collect();
    assert_eq!(guards, [Guard::new(P(1), false), Guard::new(P(2), true), Guard::new(P(1), false)]);
}

#[test]
fn parameters_are_registers() {
    let mov = |dst, from| Op::Mov { width: Width::W64, dst, src: src(from) };
    assert_eq!(one("ld.param.u64 %rd0, [in+8];"), mov(RD(0), Reg(256)));
    let extract =
        |element, register, byte, dst, word| Op::Extract { element, register, byte, dst, word: src(word) };
    assert_eq!(one("ld.param.b32 %r0, [in+12];"), extract(U32, Width::W32, 4, R(0), Reg(256)));
    let s8 = Int { width: Width::W8, signed: true };
    assert_eq!(one("ld.param.s8 %r0, [in+3];"), extract(s8, Width::W32, 3, R(0), Reg(0)));
    let code = body("ld.param.v4.b32 {%r0, %r1, %r2, %r3}, [in];").code;
    assert_eq!(code[3].op, extract(U32, Width::W32, 4, R(3), Reg(256)));
    let insert =
        Op::Insert { element: Width::W32, register: Width::W32, byte: 0, word: Reg(512), src: src(R(1)) };
    assert_eq!(one("st.param.b32 [out], %r1;"), insert);
    assert!(refused("ld.param.b64 %rd0, [in+12];").contains("access outside of `in`, which has 16 bytes"));
    assert!(refused("ld.param.b64 %rd0, [in+4];").contains("misaligned access to `in`"));
    assert!(refused("st.param.b32 [in], %r0;").contains("only arguments of calls and the return value"));
}

/// The address of a by-value parameter is one copy in local memory, made once, which all loads of it see.
#[test]
fn address_of_a_parameter() {
    let code = body("$L: mov.b64 %rd0, in;\nld.param.b64 %rd1, [in+8];\nmov.b64 %rd2, in;\nbra $L;").code;
    let [base, spill, first, load, second, back, _] = &code[..] else { panic!("{code:?}") };
    let Op::LocalAddress { dst, offset: 0, .. } = base.op else { panic!() };
    assert_eq!(spill.op, Op::SpillParam { param: 0, local: 0, bytes: 16 });
    assert_eq!(first.op, Op::LocalAddress { width: Width::W64, dst: RD(0), offset: 0 });
    assert!(
        matches!(load.op, Op::Load { access: Access { space: Space::Local, .. }, address, offset: 8, .. } if address == src(dst))
    );
    assert_eq!(second.op, Op::LocalAddress { width: Width::W64, dst: RD(2), offset: 0 });
    assert_eq!(back.op, Op::Branch { target: 2, uniform: false }, "not back to the copy");
}

#[test]
fn local_variables() {
    let function = body(
        ".local .align 16 .b8 depot[24];\n.local .u32 x;\nmov.b64 %rd0, depot+8;\nst.local.u32 [x+0], %r1;\nst.local.u32 [depot+4], %r1;",
    );
    assert_eq!((function.local_bytes, function.local_align), (32, 16));
    assert_eq!(function.code[0].op, Op::LocalAddress { width: Width::W64, dst: RD(0), offset: 8 });
    assert!(matches!(function.code[1].op, Op::LocalAddress { offset: 24, .. }));
    assert!(matches!(function.code[3].op, Op::LocalAddress { offset: 4, .. }));
    assert!(matches!(function.code[4].op, Op::Store { offset: 0, .. }));
}

#[test]
fn branches_and_tables() {
    let function =
        body("T: .branchtargets A, B, A;\n@%p0 bra A;\nbrx.idx.uni %r1, T;\nA:\nbra.uni B;\nB:\ntrap;");
    let ops: Vec<_> = function.code.iter().map(|inst| inst.op).collect();
    assert_eq!(
        ops,
        [
            Op::Branch { target: 2, uniform: false },
            Op::BranchTable { table: 0, uniform: true, index: src(R(1)) },
            Op::Branch { target: 3, uniform: true },
            Op::Trap,
            Op::Return
        ]
    );
    assert_eq!(*function.tables, [Box::from([2, 3, 2])]);
    assert_eq!(refused("bra NOWHERE;"), "line 10: label `NOWHERE` is not defined");
    assert_eq!(refused("brx.idx %r1, T;"), "line 10: `.branchtargets` of `T` is not there");
    assert_eq!(refused("A: ret; A: ret;"), "line 10: `A` is declared twice");
}

#[test]
fn registers_must_fit() {
    assert!(
        refused("add.s32 %r0, %r1, %rd2;").starts_with("line 10: register of 64 bits where 32 are needed")
    );
    assert!(refused("cvt.u64.u32 %r0, %r1;").contains("destination register of 32 bits where 64 are needed"));
    assert!(refused("st.u32 [%rd0], %rs1;").contains("register of 16 bits where 32 are needed"));
    assert!(refused("ld.u32 %r0, [%r1];").contains("register of 32 bits where 64 are needed"));
    assert_eq!(refused("add.s32 %r0, %r1, %r8;"), "line 10: unknown register `%r8`: add.s32 %r0, %r1, %r8;");
    assert_eq!(
        refused("add.s32 %r0, %r1, %nowhere;"),
        "line 10: unknown register `%nowhere`: add.s32 %r0, %r1, %nowhere;"
    );
}

#[test]
fn scopes_hide_and_end() {
    let function = body("{ .reg .b32 %r<2>; mov.b32 %r0, %r1; }\nmov.b32 %r0, %r1;");
    assert_ne!(function.code[0].op, function.code[1].op);
    assert_eq!(function.code[1].op, Op::Mov { width: Width::W32, dst: R(0), src: src(R(1)) });
    assert!(refused("{ .reg .b32 %x; } mov.b32 %x, 0;").contains("unknown register `%x`"));
    for (statements, message) in [
        (".reg .b32 %x, %x;", "`%x` is declared twice"),
        (".reg .b32 %r3;", "`%r3` is declared twice"),
        (".reg .b32 %r<3>;", "`%r<>` is declared twice"),
        ("x: .shared .b32 x;", "`x` is declared twice"),
    ] {
        assert_eq!(refused(statements), format!("line 10: {message}"));
    }
}

/// A name of an inner block hides one of an outer block, whatever the two are.
#[test]
fn names_of_all_kinds_hide_each_other() {
    let function = body(".reg .b32 x; .local .b32 y; { .local .b32 x; .reg .b32 y; st.local.u32 [x], y; }");
    assert!(matches!(function.code[0].op, Op::LocalAddress { offset: 4, .. }));
    let Op::Store { src: stored, .. } = function.code[1].op else { panic!("{:?}", function.code) };
    assert!(stored.0 > R(7).0 as i32, "{stored:?} is a register");
    let function = body("{ .reg .b32 %r<2>; mov.b32 %r7, %r1; { .reg .b32 %r1; mov.b32 %r0, %r1; } }");
    let moved = |at: usize| match function.code[at].op {
        Op::Mov { dst, src, .. } => (dst, src),
        ref op => panic!("{op:?}"),
    };
    assert_eq!(moved(0).0, R(7), "which the inner row does not have");
    assert_ne!(moved(0).1, moved(1).1);
}

/// White space between a directive and its modifiers may be left out, and one directive declares several variables.
#[test]
fn declarations_as_they_may_be_written() {
    for text in [
        ".reg.b32 x;.reg.pred y; @y mov.b32 x, 1;",
        ".shared.align 8 .b8 x[4]; st.shared.u32 [x], %r0;",
        ".local.b32 x, y[2]; st.local.u32 [y+4], %r0;",
        ".shared .u32 x, y; st.shared.u32 [x], %r0; st.shared.u32 [y], %r0;",
        ".param.b32 x, y; st.param.b32 [x], %r0; st.param.b32 [y], %r1;",
    ] {
        body(text);
    }
    for text in [
        ".visible.func f(.param.u64.ptr.global.align 16 b) { ret; }",
        ".visible.entry k(.param.u64.ptr.global.align 16 b).maxntid 4,1,1 { ret; }",
        ".visible.global.align 8 .b8 x[4];",
        ".section.debug_loc { }",
        ".entry k() .reqnctapercluster 1,1,1 .explicitcluster { ret; }",
        ".func f() .abi_preserve 3 .abi_preserve_control 1 { ret; }",
        ".global .attribute(.managed) .u32 a = 3, b;",
    ] {
        decode(&format!("{HEAD}{text}")).unwrap_or_else(|report| panic!("{report}"));
    }
    let message = decode(&format!("{HEAD}.entry k() .reqnctapercluster 2 {{ ret; }}")).unwrap_err().message;
    assert_eq!(message, "line 4: clusters of 2 x 1 x 1 CTAs: here one CTA is one");
}

/// Labels and tables are those of the innermost block that has them, also if it has them only behind the branch.
#[test]
fn labels_and_tables_belong_to_their_block() {
    let targets = |statements: &str| {
        let function = body(statements);
        let branches = function.code.iter().filter_map(|inst| match inst.op {
            Op::Branch { target, .. } => Some(vec![target]),
            Op::BranchTable { table, .. } => Some(function.tables[table as usize].to_vec()),
            _ => None,
        });
        branches.collect::<Vec<_>>()
    };
    let block = "{ bra DONE; trap; DONE: }";
    assert_eq!(targets(&format!("{block} {block}")), [[2], [4]]);
    assert_eq!(targets("{ bra X; X: } X: { bra X; }"), [[1], [1]]);
    assert_eq!(targets("{ { bra X; trap; } X: trap; } X: trap;"), [[2]]);
    let tables = "A: trap; { tt: .branchtargets A; brx.idx %r1, tt; } { tt: .branchtargets B, A; brx.idx %r1, tt; B: A: }";
    assert_eq!(targets(tables), [vec![0], vec![3, 3]]);
    for (statements, message) in [
        ("bra X; { X: trap; }", "label `X` is not defined"),
        ("{ T: .branchtargets X; } brx.idx %r1, T; X: trap;", "`.branchtargets` of `T` is not there"),
        ("T: .branchtargets X; { X: trap; }", "label `X` is not defined"),
        ("X: trap; { .shared .b32 X; bra X; }", "`X` is no label"),
        ("X: brx.idx %r1, X;", "`X` is no `.branchtargets`"),
    ] {
        assert_eq!(refused(statements), format!("line 10: {message}"));
    }
}

#[test]
fn source_positions() {
    let text = format!(
        "{HEAD}.file 1 \"a.c\"\n.func f() {{\n.reg .b32 %r<2>;\n.loc 1 10 3\nmov.b32 %r0, 1;\nmov.b32 %r1, 2;\n\
         .loc 1 20 5, function_name $x+4, inlined_at 1 11 7\nret;\n}}\n.section .debug_str\n{{\n$x: .b8 65\n.b8 0\n}}\n"
    );
    let module = decode(&text).unwrap();
    let f = &module.functions[0];
    assert_eq!(module.files[&1], "a.c");
    assert_eq!(f.lines[..3], [8, 9, 11]);
    let line = |pc| f.source_at(pc).map(|span| (span.first, span.at.line, span.inlined_at.map(|at| at.line)));
    assert_eq!(
        (line(0), line(1), line(2)),
        (Some((0, 10, None)), Some((0, 10, None)), Some((2, 20, Some(11))))
    );
}
