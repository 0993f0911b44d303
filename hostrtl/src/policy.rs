//! `OMP_TARGET_OFFLOAD`: whether constructs must, may or must not run on a device (OpenMP 5.2, 21.2.8).

use crate::env::OffloadKind;

/// The decision, made once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Every construct runs on the host.
    Disabled,
    /// A construct that cannot run on its device ends the program.
    Mandatory,
}

impl Policy {
    /// `Default` depends on the devices: with a usable one, failures are fatal; without one, the host does the work.
    pub fn decide(kind: OffloadKind, usable_devices: usize) -> Self {
        match kind {
            OffloadKind::Disabled => Self::Disabled,
            OffloadKind::Mandatory => Self::Mandatory,
            OffloadKind::Default if usable_devices > 0 => Self::Mandatory,
            OffloadKind::Default => Self::Disabled,
        }
    }
}

/// Where a construct is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// On the host.
    Host,
    /// On this device.
    Device(usize),
    /// Nowhere: there is no device and the policy asks for one.
    Missing,
    /// Nowhere: there is no device of this number.
    OutOfRange,
}

/// Target of a construct for device `number`, with the default device already filled in.
pub fn target(policy: Policy, number: i64, usable_devices: usize) -> Target {
    if policy == Policy::Disabled {
        return Target::Host;
    }
    if usable_devices == 0 {
        return Target::Missing;
    }
    match usize::try_from(number) {
        Ok(number) if number < usable_devices => Target::Device(number),
        // The initial device, the host, has the number behind the last device.
        Ok(number) if number == usable_devices => Target::Host,
        _ => Target::OutOfRange,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions() {
        use OffloadKind::*;
        for (kind, devices, expected) in [
            (Disabled, 0, Policy::Disabled),
            (Disabled, 1, Policy::Disabled),
            (Default, 0, Policy::Disabled),
            (Default, 1, Policy::Mandatory),
            (Mandatory, 0, Policy::Mandatory),
            (Mandatory, 1, Policy::Mandatory),
        ] {
            assert_eq!(Policy::decide(kind, devices), expected, "{kind:?} with {devices}");
        }
    }

    #[test]
    fn targets() {
        use Policy::*;
        for (policy, number, devices, expected) in [
            (Disabled, 0, 1, Target::Host),
            (Disabled, 9, 0, Target::Host),
            (Mandatory, 0, 0, Target::Missing),
            (Mandatory, 0, 2, Target::Device(0)),
            (Mandatory, 1, 2, Target::Device(1)),
            (Mandatory, 2, 2, Target::Host),
            (Mandatory, 3, 2, Target::OutOfRange),
            (Mandatory, -5, 2, Target::OutOfRange),
        ] {
            assert_eq!(target(policy, number, devices), expected, "{policy:?} {number} of {devices}");
        }
    }
}
