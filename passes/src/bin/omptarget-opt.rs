//! The tool.
use passes::{Settings, ir};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let context = ir::Context::default();
    let m = context.read(a[1].as_ref()).unwrap();
    let r = passes::run(m, &Settings::from_llvm()).unwrap();
    for g in &r.remarks.given {
        eprintln!(
            "{}: {} [{}] ({})",
            g.location.as_ref().map_or("?".into(), |l| l.to_string()),
            g.remark.message(),
            g.remark.id(),
            g.function
        )
    }
    for k in &r.kernels {
        eprintln!("{} {:?}", k.0, k.1)
    }
    m.write(a[2].as_ref()).unwrap();
    m.verify("after").unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(2)
    });
}
