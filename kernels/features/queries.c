// The omp_get_* functions on the host, in teams, in parallel regions and in the serial part of a region.
#include "check.h"

enum { TEAMS = 6, LIMIT = 64 };

int main(void) {
  int device = offloads();
  CHECK_THAT("host: initial device", omp_is_initial_device());
  CHECK_THAT("host: the initial device has the number behind the last", omp_get_initial_device() == omp_get_num_devices());
  CHECK_THAT("host: a device is there when regions offload", omp_get_num_devices() >= device);
  CHECK_THAT("host: default device", omp_get_default_device() >= 0);

  // one region, serial part
  int level = -1, threads = -1, id = -1, in_parallel = -1, teams = -1, team = -1, number = -2, active = -1, final = -1;
  int max_threads = -1, procs = -1, limit = -1, size0 = -1, ancestor0 = -1, ancestor_bad = -2, cancellation = -1;
  double before = 0, after = 0, tick = 0;
#pragma omp target map(from : level, threads, id, in_parallel, teams, team, number, active, final, max_threads, procs) \
    map(from : limit, size0, ancestor0, ancestor_bad, cancellation, before, after, tick)
  {
    before = omp_get_wtime();
    level = omp_get_level();
    active = omp_get_active_level();
    threads = omp_get_num_threads();
    id = omp_get_thread_num();
    in_parallel = omp_in_parallel();
    teams = omp_get_num_teams();
    team = omp_get_team_num();
    number = omp_get_device_num();
    final = omp_in_final();
    max_threads = omp_get_max_threads();
    procs = omp_get_num_procs();
    limit = omp_get_thread_limit();
    size0 = omp_get_team_size(0);
    ancestor0 = omp_get_ancestor_thread_num(0);
    ancestor_bad = omp_get_ancestor_thread_num(5);
    cancellation = omp_get_cancellation();
    tick = omp_get_wtick();
    after = omp_get_wtime();
  }
  CHECK("serial: level", level, 0);
  CHECK("serial: active level", active, 0);
  CHECK("serial: num_threads", threads, 1);
  CHECK("serial: thread_num", id, 0);
  CHECK("serial: in_parallel", in_parallel, 0);
  CHECK("serial: num_teams", teams, 1);
  CHECK("serial: team_num", team, 0);
  CHECK_THAT("serial: device_num", number == (device ? omp_get_default_device() : omp_get_initial_device()));
  CHECK("serial: cancellation", cancellation, 0);
  CHECK("serial: team_size(0)", size0, 1);
  CHECK("serial: ancestor_thread_num(0)", ancestor0, 0);
  CHECK("serial: ancestor_thread_num beyond the level", ancestor_bad, -1);
  CHECK_THAT("serial: in_final is a truth value", final == 0 || final == 1);
  CHECK_THAT("serial: max_threads", max_threads >= 1);
  CHECK_THAT("serial: num_procs", procs >= 1);
  CHECK_THAT("serial: thread_limit bounds the threads", limit >= 1);
  CHECK_THAT("wtime does not run backwards", after >= before);
  CHECK_THAT("wtick is positive and small", tick > 0 && tick < 1);

  // teams
  int seen[TEAMS] = {0}, counts[TEAMS], limits[TEAMS];
#pragma omp target teams num_teams(TEAMS) thread_limit(LIMIT) map(tofrom : seen, counts, limits)
  {
    int t = omp_get_team_num();
    seen[t] += 1;
    counts[t] = omp_get_num_teams();
    limits[t] = omp_get_thread_limit();
  }
  int right = 1, got_teams = counts[0];
  for (int t = 0; t < got_teams; ++t)
    right &= seen[t] == 1 && counts[t] == got_teams && limits[t] >= 1 && limits[t] <= LIMIT;
  CHECK_THAT("teams: at least one, at most as many as asked for", got_teams >= 1 && got_teams <= TEAMS);
  CHECK_THAT("teams: each number once, the same count and limit in all", right);

  // a parallel region in each team
  int hits[TEAMS][LIMIT] = {{0}}, sizes[TEAMS] = {0}, wrong = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(LIMIT) map(tofrom : hits, sizes, wrong)
  {
#pragma omp parallel
    {
      int t = omp_get_team_num(), me = omp_get_thread_num();
      hits[t][me] += 1;
      if (me == 0)
        sizes[t] = omp_get_num_threads();
      if (omp_get_level() != 1 || !omp_in_parallel() != (omp_get_num_threads() == 1) ||
          omp_get_ancestor_thread_num(1) != me || omp_get_team_size(1) != omp_get_num_threads() ||
          omp_get_ancestor_thread_num(0) != 0 || omp_get_team_size(0) != 1)
#pragma omp atomic
        ++wrong;
    }
  }
  right = 1;
  for (int t = 0; t < got_teams; ++t)
    for (int i = 0; i < LIMIT; ++i)
      right &= hits[t][i] == (i < sizes[t]);
  CHECK("parallel: queries that disagree", wrong, 0);
  CHECK_THAT("parallel: every thread number once", right);

  // the number of threads asked for by the program
  int asked = -1, got = -1;
#pragma omp target map(from : asked, got)
  {
    omp_set_num_threads(64);
    asked = omp_get_max_threads();
#pragma omp parallel
    if (omp_get_thread_num() == 0)
      got = omp_get_num_threads();
  }
  CHECK("omp_set_num_threads, omp_get_max_threads", asked, 64);
  CHECK("omp_set_num_threads, team size", got, 64);

  // schedule ICV
  omp_sched_t kind = 0;
  int chunk = 0;
#pragma omp target map(from : kind, chunk)
  {
    omp_set_schedule(omp_sched_dynamic, 9);
    omp_get_schedule(&kind, &chunk);
  }
  CHECK("set_schedule, get_schedule: kind", (int)kind, (int)omp_sched_dynamic);
  CHECK("set_schedule, get_schedule: chunk", chunk, 9);

  // places: whatever the answers, they agree with each other
  int unlike = 0;
#pragma omp target parallel num_threads(32) proc_bind(spread) map(tofrom : unlike)
  {
    int places = omp_get_num_places(), mine = omp_get_place_num(), part = omp_get_partition_num_places();
    int bound = omp_get_proc_bind() != omp_proc_bind_false, bad = 0, number = -7;
    bad |= bound ? mine < 0 || mine >= places : !omp_is_initial_device() && mine != -1;
    bad |= part < 0 || part > places || (bound && part == 0);
    for (int place = -1; place <= places; ++place) {
      int procs = omp_get_place_num_procs(place);
      bad |= place < 0 || place == places ? procs != 0 : procs < 1;
    }
    omp_get_place_proc_ids(places, &number);
    if (part == 0)
      omp_get_partition_place_nums(&number);
    if (bad || number != -7)
#pragma omp atomic
      unlike += 1;
  }
  CHECK("places: answers that disagree", unlike, 0);

  // routines that a device answers but does not serve
  int tool = 0, paused = 0, from_uid = 0, uid = 0, captured = -1;
#pragma omp target map(from : tool, paused, from_uid, uid, captured)
  {
    tool = omp_control_tool(omp_control_tool_start, 0, 0);
    paused = 0, from_uid = omp_invalid_device, uid = 1, captured = 0;
#ifdef __NVPTX__
    if (!omp_is_initial_device()) {
      char buffer[8] = "x";
      paused = omp_pause_resource(omp_pause_soft, 0) == 0 || omp_pause_resource_all(omp_pause_hard) == 0;
      from_uid = omp_get_device_from_uid("GPU");
      uid = omp_get_uid_from_device(0) == 0;
      captured = (int)omp_capture_affinity(buffer, sizeof buffer, "%n");
      omp_display_env(1), omp_display_affinity("%n"), omp_set_affinity_format("%n");
      omp_set_num_teams(3), omp_set_teams_thread_limit(7);
    }
#endif
  }
  CHECK("control of a tool", tool, omp_control_tool_notool);
  CHECK("paused resources", paused, 0);
  CHECK("device of a name", from_uid, omp_invalid_device);
  CHECK("name of a device", uid, 1);
  CHECK("affinity", captured, 0);
  return finish();
}
