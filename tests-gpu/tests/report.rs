//! The page of `omptarget run --report`, opened in a browser: it has what it should, without an error, and can be seen.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::{Case, Dist, Route, program};

const BROWSER: &str = "chromium-headless-shell";

/// Runs `kernels/report/profile.c` with `steps` launches of one of its kernels and gives the page.
fn page(
    folder: &Path,
    options: &'static [&'static [&'static str]],
    variant: &'static str,
    steps: u32,
) -> PathBuf {
    let case = Case::new("report/profile.c", Route::Omptarget, variant, options);
    let program = program(&case).unwrap_or_else(|e| panic!("{e:#}"));
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let page = folder.join("page.html");
    let mut command = Command::new(dist.driver());
    // In the folder of the page: a relative name must not matter.
    command.current_dir(folder).args(["run", "--report", "page.html"]).arg(program).arg(steps.to_string());
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(page.is_file(), "there is no page");
    page
}

/// What the browser prints when it opens the page with these options. Nothing may go wrong in it.
fn browser(page: &Path, options: &[&str]) -> String {
    let mut command = Command::new(BROWSER);
    // Root, as in containers, has no sandbox; the page is our own.
    command.args(["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,2000"]);
    // The page may take that much time by its own clock; the network is off.
    command.args(["--virtual-time-budget=5000", "--host-resolver-rules=MAP * ~NOTFOUND"]);
    command.args(["--enable-logging=stderr"]).args(options).arg(format!("file://{}", page.display()));
    let output = command.output().unwrap_or_else(|e| panic!("{BROWSER}: {e}; run `cargo xtask setup`"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:#?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The content of the element with that id, up to its end tag.
fn content<'a>(dom: &'a str, id: &str, tag: &str) -> &'a str {
    let start = dom.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("there is no {id}"));
    &dom[start..start + dom[start..].find(&format!("</{tag}>")).unwrap_or_else(|| panic!("{id} has no end"))]
}

#[test]
fn the_page_shows_kernels_launches_and_source_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path(), &[&["-O2", "-g"]], "profile", 20);
    let dom = browser(&page, &["--dump-dom"]);
    assert!(
        dom.contains("data-ready=\"yes\"") && !dom.contains("data-error"),
        "the script has not come to its end"
    );
    let rows = |id: &str| content(&dom, id, "table").matches("<tr").count() - 1;
    assert_eq!((rows("kernels"), rows("launches")), (4, 23));
    let bars = content(&dom, "timeline", "svg").matches("class=\"bar\"").count();
    assert!((4..=23).contains(&bars), "{bars} bars");
    assert!(content(&dom, "mix", "section").contains("integer"));
    // The lines of the heaviest kernel are there with their text and figures.
    let source = content(&dom, "source", "section");
    assert!(source.contains("b[i] += 0.5 * a[i];") && source.contains("class=\"hot\""), "{source}");
    for part in ["http://", "https://", "src=", "href=\"/"] {
        let outside = std::fs::read_to_string(&page).unwrap().replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains(part), "the page refers to something outside: {part}");
    }
}

#[test]
fn the_page_can_be_seen_light_and_dark() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path(), &[&["-O2", "-g"]], "profile", 20);
    let mut backgrounds = HashSet::new();
    for options in [&[][..], &["--blink-settings=preferredColorScheme=0"]] {
        let picture = folder.path().join("picture.png");
        let screenshot = format!("--screenshot={}", picture.display());
        browser(&page, &[&[screenshot.as_str()], options].concat());
        let file = std::io::BufReader::new(std::fs::File::open(&picture).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1400, 2000));
        let bytes = info.color_type.samples();
        let colors: Vec<[u8; 3]> =
            pixels[..info.buffer_size()].chunks(bytes).map(|p| [p[0], p[1], p[2]]).collect();
        let different: HashSet<[u8; 3]> = colors.iter().copied().collect();
        assert!(different.len() > 200, "{} colours: the picture is blank", different.len());
        // Each quarter from top to bottom shows something.
        for (k, quarter) in colors.chunks(colors.len() / 4).take(4).enumerate() {
            let drawn = quarter.iter().filter(|color| **color != colors[0]).count();
            assert!(drawn * 20 > quarter.len(), "quarter {k} is empty");
        }
        backgrounds.insert(colors[0]);
    }
    assert_eq!(backgrounds.len(), 2, "light and dark look the same");
}

#[test]
fn a_thousand_launches_and_no_debug_information() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path(), &[&["-O2"]], "plain", 1000);
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size < 2 << 20, "{size} bytes");
    let dom = browser(&page, &["--dump-dom"]);
    assert!(dom.contains("data-ready=\"yes\""));
    assert_eq!(content(&dom, "launches", "table").matches("<tr").count(), 1 + 1003);
    // Without debug information the PTX is shown.
    let source = content(&dom, "source", "section");
    assert!(
        source.contains("instructions without a source line") && source.contains("ld.global"),
        "{source}"
    );
}
