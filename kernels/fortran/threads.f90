! Which threads run what: serial code once, regions on several threads, with the variables of serial code shared. flang-22 gives
! regions of generic kernels no code for workers and arguments on a stack, and starts some kernels with all threads that
! have serial code to run once.
program threads
  use omp_lib
  implicit none
  integer, parameter :: n = 300
  integer :: failures = 0
  call one_loop()
  call no_loop()
  call of_the_team()
  call reduced_by_teams()
  call reduced_twice()
  call reduced_by_a_region()
  call in_a_loop_of_teams()
  call arrays_of_the_team()
  call in_functions()
  call clauses()
  call finish()

contains
  include 'check.inc'
  include 'at_most.inc'

  subroutine one_loop()
    integer :: a(n), i, s
    a = 0
    s = 0
    !$omp target map(tofrom: a, s)
    s = s + 1
    !$omp parallel do num_threads(32)
    do i = 1, n
      a(i) = a(i) + s * i
    end do
    s = s + a(2)
    !$omp end target
    call check('serial code around a loop', int(s, 8), 3_8)
    call check('the loop', sum(int(a, 8)), n * (n + 1_8) / 2)
  end subroutine

  subroutine no_loop()
    integer :: team, mask, s
    team = 0
    mask = 0
    s = 5
    !$omp target map(tofrom: team, mask, s)
    s = s * 2
    !$omp parallel num_threads(4)
    !$omp atomic
    mask = mask + ishft(1, omp_get_thread_num()) + s
    if (omp_get_thread_num() == 3) team = omp_get_num_threads()
    !$omp end parallel
    s = s + mask
    !$omp end target
    call check('threads of a region', int(team, 8), 4_8)
    call check('each once', int(mask, 8), 55_8)
    call check('serial code around a region', int(s, 8), 65_8)
  end subroutine

  ! A variable that a team's serial code has for itself, changed by all threads of its region.
  subroutine of_the_team()
    integer :: results(3), i, mine, first
    results = 0
    !$omp target teams num_teams(3) map(tofrom: results) private(mine, first)
    mine = omp_get_team_num() + 1
    first = 2
    !$omp parallel do num_threads(16) shared(mine, first)
    do i = 1, n
      !$omp atomic
      mine = mine + first * i
    end do
    results(omp_get_team_num() + 1) = mine
    !$omp end target teams
    call check('a variable of the team', sum(int(results, 8)), 6 + 3 * n * (n + 1_8))
  end subroutine

  subroutine reduced_by_teams()
    integer :: i, s, teams, most
    s = 7
    teams = 0
    most = at_most(4)
    !$omp target teams num_teams(most) reduction(+: s, teams) map(tofrom: s, teams)
    s = s + 1
    teams = teams + 1
    !$omp parallel do num_threads(32)
    do i = 1, n
      !$omp atomic
      s = s + i
    end do
    !$omp end target teams
    call check_that('teams', teams == most)
    call check('reduced by a team', int(s - 7 - teams, 8) / teams, n * (n + 1_8) / 2)
    call check_that('reduced by all', s == 7 + teams + teams * n * (n + 1) / 2)
  end subroutine

  subroutine reduced_twice()
    integer :: i, s, teams, most
    s = 0
    teams = 0
    most = at_most(4)
    !$omp target teams num_teams(most) reduction(+: s, teams) map(tofrom: s, teams)
    teams = teams + 1
    !$omp parallel do reduction(+: s)
    do i = 1, n
      s = s + i
    end do
    !$omp end target teams
    call check_that('teams again', teams == most)
    call check_that('reduced twice', s == teams * n * (n + 1) / 2)
  end subroutine

  ! The region reduces over the teams, in a kernel whose threads share a variable.
  subroutine reduced_by_a_region()
    integer :: i, s, seen, most
    s = 0
    most = 0
    seen = 0
    !$omp target teams distribute parallel do reduction(+: s) num_teams(1) map(tofrom: s, most) private(i) shared(seen)
    do i = 1, n
      !$omp atomic
      seen = seen + 1
      s = s + i
      if (i == n) then
        !$omp atomic read
        most = seen
      end if
    end do
    call check('reduced by a region', int(s, 8), n * (n + 1_8) / 2)
    call check_that('in which threads share a variable', most > 0)
  end subroutine

  subroutine in_a_loop_of_teams()
    integer :: a(n, 20), sums(20), i, j, before, total
    a = 1
    sums = 0
    total = 0
    !$omp target teams distribute map(tofrom: a, sums, total) private(before) reduction(+: total)
    do j = 1, 20
      sums(j) = sums(j) + j
      before = sums(j)
      !$omp parallel do
      do i = 1, n
        a(i, j) = a(i, j) + before
      end do
      sums(j) = sums(j) + a(n, j)
      total = total + sums(j)
    end do
    call check('once for each iteration', sum(int(sums, 8)), 440_8)
    call check('regions in a loop', sum(int(a, 8)), 69000_8)
    call check('their sum', int(total, 8), 440_8)
  end subroutine

  subroutine arrays_of_the_team()
    integer :: results(20), i, j, row(64)
    results = 0
    !$omp target teams distribute map(tofrom: results) private(row)
    do j = 1, 20
      row(1) = j
      !$omp parallel do
      do i = 2, 64
        row(i) = row(1) + i
      end do
      do i = 1, 64
        results(j) = results(j) + row(i)
      end do
    end do
    call check('an array of the team', sum(int(results, 8)), 55020_8)
  end subroutine

  subroutine in_functions()
    integer :: results(4)
    results = 0
    !$omp target teams num_teams(4) map(tofrom: results)
    call with_region(results, 3 + omp_get_team_num())
    !$omp end target teams
    call check('a region in a function', sum(int(results(1:1), 8)), 29_8)
  end subroutine

  subroutine with_region(results, factor)
    !$omp declare target
    integer, intent(inout) :: results(4)
    integer, intent(in) :: factor
    integer :: i, here
    here = factor
    call add(here)
    !$omp parallel do num_threads(8) shared(here)
    do i = 1, 8
      !$omp atomic
      here = here + factor
    end do
    results(omp_get_team_num() + 1) = here
  end subroutine

  subroutine add(where)
    !$omp declare target
    integer, intent(inout) :: where
    where = where + 2
  end subroutine

  subroutine clauses()
    integer :: i, s, teams(3)
    teams = 0
    !$omp target map(tofrom: teams)
    do i = 1, 3
      s = 0
      !$omp parallel if(i /= 2) num_threads(10 * i) shared(s)
      !$omp atomic
      s = s + 1
      !$omp end parallel
      teams(i) = s
    end do
    !$omp end target
    call check('num_threads and if', teams(1) + 100 * teams(2) + 10000_8 * teams(3), 300110_8)
  end subroutine
end program
