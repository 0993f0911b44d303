//! Random sequences of constructs, compared with a slow model of what OpenMP says about them, on one thread; and on several
//! threads, where the sums have to be right in the end.
//!
//! The model is one flat array of host bytes. For each byte it knows the mapping that it is in: its counts, its device
//! value. It knows nothing of tables, queues or copies.

use crate::api::tgt::DataConstruct;
use crate::device::recorder::Recorder;
use crate::env::Settings;
use crate::error::Error;
use crate::region::Region;
use crate::testing::{Fixture, Map, location, owned};
use fastrand::Rng;

const TO: u64 = 1;
const FROM: u64 = 2;
const ALWAYS: u64 = 4;
const DELETE: u64 = 8;
const PRESENT: u64 = 0x1000;
const HOLD: u64 = 0x2000;

/// Bytes of program memory that the sequences map.
const BYTES: usize = 96;

/// A mapping of the model.
#[derive(Clone, Debug)]
struct Mapping {
    begin: usize,
    end: usize,
    dynamic: u64,
    hold: u64,
    /// What the device has.
    device: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
struct Model {
    host: Vec<u8>,
    mappings: Vec<Mapping>,
}

/// What a range is to the mappings of the model.
enum Found {
    In(usize),
    Partly,
    Nowhere,
}

impl Model {
    fn find(&self, begin: usize, end: usize) -> Found {
        if let Some(index) = self.mappings.iter().position(|m| m.begin <= begin && end <= m.end) {
            return Found::In(index);
        }
        match self.mappings.iter().any(|m| m.begin < end && begin < m.end) {
            true => Found::Partly,
            false => Found::Nowhere,
        }
    }

    /// One map at the begin; false when it is an error, which changes nothing.
    fn begin(&mut self, begin: usize, end: usize, kind: u64) -> bool {
        let (index, new) = match self.find(begin, end) {
            Found::In(index) => (index, false),
            Found::Partly => return false,
            Found::Nowhere if kind & PRESENT != 0 => return false,
            Found::Nowhere => {
                self.mappings.push(Mapping {
                    begin,
                    end,
                    dynamic: 0,
                    hold: 0,
                    device: vec![0xaa; end - begin],
                });
                (self.mappings.len() - 1, true)
            }
        };
        let mapping = &mut self.mappings[index];
        *(if kind & HOLD != 0 { &mut mapping.hold } else { &mut mapping.dynamic }) += 1;
        if kind & TO != 0 && (new || kind & ALWAYS != 0) {
            let at = begin - mapping.begin;
            mapping.device[at..at + end - begin].copy_from_slice(&self.host[begin..end]);
        }
        true
    }

    fn end(&mut self, begin: usize, end: usize, kind: u64) -> bool {
        let Found::In(index) = self.find(begin, end) else { return kind & PRESENT == 0 };
        let mapping = &mut self.mappings[index];
        let (this, other) = match kind & HOLD != 0 {
            true => (&mut mapping.hold, mapping.dynamic),
            false => (&mut mapping.dynamic, mapping.hold),
        };
        let last = (*this == 1 || kind & DELETE != 0 && *this > 0) && other == 0;
        *this = if kind & DELETE != 0 { 0 } else { this.saturating_sub(1) };
        let gone = *this == 0 && other == 0;
        if kind & FROM != 0 && (last || kind & ALWAYS != 0) {
            let at = begin - mapping.begin;
            self.host[begin..end].copy_from_slice(&mapping.device[at..at + end - begin]);
        }
        if gone {
            self.mappings.remove(index);
        }
        true
    }

    fn update(&mut self, begin: usize, end: usize, kind: u64) -> bool {
        let Found::In(index) = self.find(begin, end) else { return kind & PRESENT == 0 };
        let mapping = &mut self.mappings[index];
        let device = &mut mapping.device[begin - mapping.begin..end - mapping.begin];
        match kind & TO != 0 {
            true => device.copy_from_slice(&self.host[begin..end]),
            false => self.host[begin..end].copy_from_slice(device),
        }
        true
    }
}

/// A device that keeps no freed blocks.
fn fixture() -> Fixture {
    let settings = Settings { memory_manager_threshold: Some(0), ..Settings::default() };
    let fixture = Fixture::with(Recorder::new(), &settings);
    fixture.recorder.be_quiet(true);
    fixture
}

/// The same program memory for the runtime, with the model beside it.
struct Pair {
    fixture: Fixture,
    host: Vec<u8>,
    model: Model,
    /// Blocks that the device refused to free.
    not_freed: usize,
}

impl Pair {
    fn new() -> Self {
        let host: Vec<u8> = (0..BYTES as u8).collect();
        let model = Model { host: host.clone(), mappings: Vec::new() };
        let fixture = fixture();
        Self { fixture, host, model, not_freed: 0 }
    }

    fn map(&mut self, begin: usize, end: usize, kind: u64) -> Map {
        let base = self.host.as_mut_ptr().expose_provenance();
        (base, base + begin, end - begin, kind)
    }

    /// One random construct on both. With `faults` a call of the device may fail meanwhile.
    fn step(&mut self, random: &mut Rng, faults: bool) -> String {
        let begin = random.usize(..BYTES);
        let end = (begin + random.usize(1..=24)).min(BYTES);
        let flag = |random: &mut Rng, bit, one_in| if random.u32(..one_in) == 0 { bit } else { 0 };
        let kind = flag(random, TO, 2)
            | flag(random, FROM, 2)
            | flag(random, ALWAYS, 4)
            | flag(random, PRESENT, 8)
            | flag(random, HOLD, 5);
        let (construct, kind) = match random.u32(..8) {
            0..3 => (DataConstruct::Begin, kind),
            3..6 => (DataConstruct::End, kind | flag(random, DELETE, 4)),
            6 => (DataConstruct::Update, kind & PRESENT | if random.bool() { TO } else { FROM }),
            _ => return self.write(random, begin),
        };
        let fault = if faults && random.bool() { random.usize(1..6) } else { 0 };
        let map = self.map(begin, end, kind);
        let before = self.model.clone();
        let fine = match construct {
            DataConstruct::Begin => self.model.begin(begin, end, kind),
            DataConstruct::End => self.model.end(begin, end, kind),
            DataConstruct::Update => self.model.update(begin, end, kind),
        };
        self.fixture.recorder.fail_call(fault);
        let outcome = self.fixture.run(construct, &[map]);
        self.fixture.recorder.fail_call(0);
        let text = format!("{construct:?} [{begin}, {end}) {kind:#x} fault {fault}: {outcome:?}");
        if fault > 0
            && let Err(Error::Device(cause)) = &outcome
        {
            // What the device would not take back stays.
            self.not_freed += usize::from(cause.call == "free");
            self.after_a_fault(if construct == DataConstruct::Begin { before } else { self.model.clone() });
        } else {
            assert_eq!(outcome.is_ok(), fine, "{text}");
        }
        text
    }

    /// The program writes, on the host or in a kernel.
    fn write(&mut self, random: &mut Rng, at: usize) -> String {
        let value = random.u8(..);
        if random.bool() {
            self.model.host[at] = value;
            self.host[at] = value;
            return format!("host[{at}] = {value}");
        }
        if let Found::In(index) = self.model.find(at, at + 1) {
            let mapping = &mut self.model.mappings[index];
            mapping.device[at - mapping.begin] = value;
            let host = self.host.as_ptr().expose_provenance() + at;
            self.fixture.recorder.write(self.fixture.device(host), &[value]);
        }
        format!("device[{at}] = {value}")
    }

    /// A begin that failed has mapped nothing, an end that failed has unmapped; what was copied is open.
    fn after_a_fault(&mut self, mapped: Model) {
        self.model = mapped;
        self.model.host.copy_from_slice(&self.host);
        let base = self.host.as_ptr().expose_provenance();
        for mapping in &mut self.model.mappings {
            let device = self.fixture.device(base + mapping.begin);
            mapping.device = self.fixture.recorder.read(device, mapping.device.len());
        }
    }

    /// Everything that can be seen is the same.
    fn check(&self) {
        assert_eq!(self.host, self.model.host, "program memory");
        let base = self.host.as_ptr().expose_provenance();
        let table = crate::lock(&self.fixture.offload.table);
        let mut mappings = self.model.mappings.clone();
        mappings.sort_by_key(|mapping| mapping.begin);
        assert_eq!(table.entries().count(), mappings.len(), "number of mappings");
        for (entry, mapping) in table.entries().zip(&mappings) {
            let range = (entry.begin - base, entry.end - base);
            assert_eq!(range, (mapping.begin, mapping.end));
            let counts = (entry.dynamic_count().to_string(), entry.hold_count().to_string());
            assert_eq!(counts, (mapping.dynamic.to_string(), mapping.hold.to_string()), "{range:?}");
            let device = self.fixture.recorder.read(entry.device_begin, mapping.device.len());
            assert_eq!(device, mapping.device, "{range:?} on the device");
            assert_eq!((entry.users, entry.shadows.within(0, usize::MAX).count()), (0, 0));
        }
        drop(table);
        assert_eq!(self.fixture.recorder.live_blocks(), mappings.len() + self.not_freed, "device blocks");
    }
}

/// How many random sequences a test runs: `OMPTARGET_TEST_SEQUENCES`, or else so many.
fn sequences(default: u64) -> u64 {
    let asked = std::env::var("OMPTARGET_TEST_SEQUENCES").ok();
    asked.map_or(default, |text| text.parse().expect("OMPTARGET_TEST_SEQUENCES is a number"))
}

/// Constructs of a sequence.
const LENGTH: usize = 100;

fn random_sequences(faults: bool) {
    for seed in 0..sequences(1_000) {
        let (mut random, mut pair) = (Rng::with_seed(seed), Pair::new());
        let mut history = Vec::new();
        for _ in 0..LENGTH {
            let step = std::panic::AssertUnwindSafe(|| {
                history.push(pair.step(&mut random, faults));
                pair.check();
            });
            if std::panic::catch_unwind(step).is_err() {
                panic!("seed {seed}, behind {history:#?}");
            }
        }
    }
}

#[test]
fn random_constructs_do_what_the_model_says() {
    random_sequences(false);
}

/// Any call of the device may fail: the construct says so, nothing is lost, and later ones work.
#[test]
fn constructs_that_fail_leave_nothing_behind() {
    random_sequences(true);
}

/// What one of several threads does with the same arrays: it maps some, as data constructs or as a target region, which
/// ends in a way of its own, finds their data on the device, although another thread may have been the one to copy it, and
/// unmaps them.
fn share(fixture: &Fixture, arrays: &[Vec<u8>], random: &mut Rng, kind: u64) {
    let chosen: Vec<&Vec<u8>> = arrays.iter().filter(|_| random.bool()).collect();
    let kind = kind & if random.u8(..4) == 0 { !0 } else { !ALWAYS };
    let map = |array: &&Vec<u8>| {
        let base = array.as_ptr().expose_provenance();
        (base, base, array.len(), kind)
    };
    let maps: Vec<Map> = chosen.iter().map(map).collect();
    let mut owned = owned(&maps);
    // SAFETY: the arrays live to the end of the test.
    let mut view = unsafe { owned.view() };
    let mut region = None;
    if random.bool() {
        let region = region.insert(Region::start(&fixture.offload, location()).unwrap());
        region.begin(&mut view).unwrap();
    } else {
        fixture.begin(&maps).unwrap();
    }
    for (map, array) in maps.iter().zip(&chosen) {
        assert_eq!(fixture.recorder.read(fixture.device(map.0), array.len()), **array);
    }
    if random.u8(..4) == 0 {
        let to = |map: &Map| (map.0, map.1, map.2, TO);
        fixture.update(&maps.iter().map(to).collect::<Vec<_>>()).unwrap();
    }
    match region {
        Some(mut region) => {
            region.end_of_own(&view).unwrap();
            region.finish().unwrap();
        }
        None => drop(fixture.end(&maps).unwrap()),
    }
}

fn arrays() -> Vec<Vec<u8>> {
    (1..=3_u8).map(|array| vec![array; 64]).collect()
}

fn nothing_is_left(fixture: &Fixture) {
    assert!(crate::lock(&fixture.offload.table).is_empty());
    assert_eq!(fixture.recorder.live_blocks(), 0);
}

#[cfg(not(feature = "shuttle"))]
#[test]
fn threads_share_mappings() {
    const THREADS: u64 = 4;
    let (fixture, arrays) = (fixture(), arrays());
    let rounds = sequences(3_000);
    fixture.recorder.dawdle();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (fixture, arrays) = (&fixture, &arrays);
            scope.spawn(move || {
                let mut random = Rng::with_seed(thread);
                (0..rounds).for_each(|_| share(fixture, arrays, &mut random, TO | ALWAYS));
            });
        }
    });
    nothing_is_left(&fixture);
}

/// The same under orders of the threads that shuttle chooses: `cargo test -p hostrtl --features shuttle interleavings`.
#[cfg(feature = "shuttle")]
#[test]
fn interleavings() {
    const ORDERS: usize = 1_500;
    const ROUNDS: usize = 3;
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let threads_share = || {
        let seed = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        // Without `always` the last use of each mapping copies back: more often than there are mappings where one was
        // used again before it was gone, never less often.
        let counts = seed % 2 == 0;
        let kind = TO | if counts { FROM } else { ALWAYS };
        let shared = std::sync::Arc::new((fixture(), arrays()));
        shared.0.recorder.be_quiet(!counts);
        let threads: Vec<_> = (0..3)
            .map(|thread| {
                let shared = shared.clone();
                shuttle::thread::spawn(move || {
                    let mut random = Rng::with_seed(seed * 3 + thread);
                    (0..ROUNDS).for_each(|_| share(&shared.0, &shared.1, &mut random, kind));
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        nothing_is_left(&shared.0);
        let recorder = &shared.0.recorder;
        assert!(!counts || recorder.count("retrieve") >= recorder.count("alloc"));
    };
    shuttle::check_random(threads_share, ORDERS);
    shuttle::check_pct(threads_share, ORDERS, 3);
}
