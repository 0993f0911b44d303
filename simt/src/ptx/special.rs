//! Names of special registers (PTX ISA 9.0, 10).

use crate::code::{Special, Width};

/// Whether a name is this prefix and a number below the limit.
fn numbered(name: &str, prefix: &str, limit: u32) -> bool {
    name.strip_prefix(prefix).and_then(|number| number.parse().ok()).is_some_and(|number: u32| number < limit)
}

/// The special register of that name and the width of its lanes.
pub(super) fn special(name: &str) -> Option<(Special, Width)> {
    let axis = |rest: &str| match rest {
        ".x" => Some(0),
        ".y" => Some(1),
        ".z" => Some(2),
        _ => None,
    };
    let narrow = match name {
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NWarpId,
        "%smid" => Special::SmId,
        "%nsmid" => Special::NSmId,
        "%lanemask_eq" => Special::LaneMaskEq,
        "%lanemask_le" => Special::LaneMaskLe,
        "%lanemask_lt" => Special::LaneMaskLt,
        "%lanemask_ge" => Special::LaneMaskGe,
        "%lanemask_gt" => Special::LaneMaskGt,
        "%clock" => Special::Clock,
        "%clock_hi" => Special::ClockHi,
        "%globaltimer_lo" => Special::GlobalTimerLo,
        "%globaltimer_hi" => Special::GlobalTimerHi,
        "%dynamic_smem_size" => Special::DynamicSharedSize,
        "%total_smem_size" => Special::TotalSharedSize,
        "%aggr_smem_size" => Special::TotalSharedSize,
        "%cluster_ctarank" => Special::Fixed(0),
        "%cluster_nctarank" => Special::Fixed(1),
        // The driver sets them for itself, and only its compiler knows what they mean.
        _ if numbered(name, "%envreg", 32) => Special::Fixed(0),
        _ if numbered(name, "%pm", 8) => Special::Fixed(0),
        // No part of shared memory is the system's.
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_end" | "%reserved_smem_offset_cap" => {
            Special::Fixed(0)
        }
        _ if numbered(name, "%reserved_smem_offset_", 2) => Special::Fixed(0),
        "%current_graph_exec" => return Some((Special::Fixed(0), Width::W64)),
        _ if name.strip_suffix("_64").is_some_and(|name| numbered(name, "%pm", 8)) => {
            return Some((Special::Fixed(0), Width::W64));
        }
        "%clock64" => return Some((Special::Clock, Width::W64)),
        "%gridid" => return Some((Special::GridId, Width::W64)),
        "%globaltimer" => return Some((Special::GlobalTimer, Width::W64)),
        _ => {
            let (base, rest) = name.split_at(name.find('.')?);
            match base {
                "%tid" => Special::Tid(axis(rest)?),
                "%ntid" => Special::Ntid(axis(rest)?),
                "%ctaid" => Special::Ctaid(axis(rest)?),
                "%nctaid" => Special::Nctaid(axis(rest)?),
                // Without clusters each CTA is one (PTX ISA 10.14 to 10.19).
                "%clusterid" => Special::Ctaid(axis(rest)?),
                "%nclusterid" => Special::Nctaid(axis(rest)?),
                "%cluster_ctaid" => axis(rest).map(|_| Special::Fixed(0))?,
                "%cluster_nctaid" => axis(rest).map(|_| Special::Fixed(1))?,
                _ => return None,
            }
        }
    };
    Some((narrow, Width::W32))
}
