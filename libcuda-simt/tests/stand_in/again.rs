//! Running a test again in a process that finds the library as `libcuda.so.1` and `libcuda.so`.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

/// The library, where cargo built it for these tests.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let found = test.with_file_name("libcuda_simt.so");
    assert!(found.is_file(), "{}", found.display());
    found
}

/// Runs the test `name` of this program again, in a process for which [`inside`] is true; what it writes.
pub fn run_again(name: &str, environment: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for file in ["libcuda.so.1", "libcuda.so"] {
        symlink(library(), folder.path().join(file)).unwrap();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("LD_LIBRARY_PATH", folder.path())
        .env("STAND_IN_CASE", name)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{name}: {text}");
    text
}

/// Whether this is the process that [`run_again`] started for the test `name`.
pub fn inside(name: &str) -> bool {
    std::env::var("STAND_IN_CASE").is_ok_and(|case| case == name)
}

/// `data[i] *= factor` for `i < count`, with a factor that the host can change.
pub const SCALE: &str = "
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .f32 factor = 0f40400000;

.visible .entry scale(
	.param .u64 scale_param_0,
	.param .u32 scale_param_1
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;
	.reg .f32 	%f<4>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [scale_param_0];
	ld.param.u32 	%r1, [scale_param_1];
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %tid.x;
	mad.lo.s32 	%r5, %r2, %r3, %r4;
	setp.ge.u32 	%p1, %r5, %r1;
	@%p1 bra 	$L_end;
	cvta.to.global.u64 	%rd2, %rd1;
	mul.wide.u32 	%rd3, %r5, 4;
	add.s64 	%rd4, %rd2, %rd3;
	ld.global.f32 	%f1, [%rd4];
	ld.global.f32 	%f2, [factor];
	mul.rn.f32 	%f3, %f1, %f2;
	st.global.f32 	[%rd4], %f3;
$L_end:
	ret;
}
";
