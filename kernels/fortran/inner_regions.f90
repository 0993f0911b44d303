! Parallel regions in the bodies of loops, which flang makes functions that the runtime calls: openmp-opt does not look for regions
! in them, and says that the kernel has none inside each other.
program inner_regions
  use omp_lib
  implicit none
  integer, parameter :: n = 640
  integer :: failures = 0, sums(n), parts(n), levels(n), rows(n), i, k, mine
  integer :: tile(64), turned(n)
  sums = 0
  parts = 0
  levels = 0
  rows = 0
  !$omp target teams distribute parallel do map(tofrom: sums) private(mine)
  do i = 1, n
    mine = 0
    !$omp parallel num_threads(1) shared(mine)
    !$omp atomic
    mine = mine + 5 + i
    !$omp end parallel
    sums(i) = mine
  end do
  call check('written in a region', int(count(sums /= [(5 + i, i = 1, n)]), 8), 0_8)
  !$omp target parallel do map(tofrom: parts) private(mine, k)
  do i = 1, n
    mine = 1
    !$omp parallel num_threads(1) shared(mine)
    !$omp critical
    mine = mine + i
    !$omp end critical
    !$omp end parallel
    !$omp parallel do num_threads(1) reduction(+: mine)
    do k = 1, 3
      mine = mine + k
    end do
    parts(i) = mine
  end do
  call check('two regions', int(count(parts /= [(7 + i, i = 1, n)]), 8), 0_8)
  !$omp target teams distribute parallel do map(tofrom: levels)
  do i = 1, n
    !$omp parallel
    !$omp masked
    levels(i) = 10 * omp_get_level() + omp_get_ancestor_thread_num(2)
    !$omp end masked
    !$omp barrier
    !$omp end parallel
    levels(i) = levels(i) + 100 * omp_get_level()
  end do
  call check('levels', int(count(levels /= 120), 8), 0_8)
  !$omp target teams distribute parallel do map(tofrom: parts) private(mine)
  do i = 1, n
    mine = 0
    !$omp task shared(mine)
    !$omp parallel shared(mine)
    !$omp atomic
    mine = mine + i
    !$omp end parallel
    !$omp end task
    !$omp taskwait
    parts(i) = mine
  end do
  call check('a region in a task', int(count(parts /= [(i, i = 1, n)]), 8), 0_8)
  ! The outer region is in the body of a loop too.
  !$omp target teams distribute map(tofrom: rows) private(mine)
  do i = 1, n, 64
    !$omp parallel do private(mine)
    do k = i, i + 63
      mine = k
      !$omp parallel num_threads(1) shared(mine)
      mine = mine + omp_get_level()
      !$omp end parallel
      rows(k) = mine
    end do
  end do
  call check('regions in regions in loops', int(count(rows /= [(i + 2, i = 1, n)]), 8), 0_8)
  ! A private array that is copied as a whole before the region that reads it.
  !$omp target teams distribute map(to: rows) map(from: turned) private(tile)
  do i = 1, n, 64
    tile = rows(i:i + 63)
    !$omp parallel do
    do k = 0, 63
      turned(i + k) = tile(64 - k)
    end do
  end do
  call check('a private array', int(count(turned /= [((i + 65 - k, k = 0, 63), i = 1, n, 64)]), 8), 0_8)
  call finish()

contains
  include 'check.inc'
end program
