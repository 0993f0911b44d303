! Data in Fortran: module variables, allocatables, pointers, derived types, sections, target data and updates;
! device functions; queries.
module store
  implicit none
  integer, parameter :: n = 500
  integer :: table(n) = [(7, integer :: m = 1, n)]
  real(8) :: scale = 2
  integer :: hits = 0
  !$omp declare target(table, scale, hits)

  type point
    integer :: x
    real(8) :: y(3)
  end type

contains
  integer function twice(i)
    !$omp declare target
    integer, intent(in) :: i
    twice = 2 * i
  end function

  recursive integer function fibonacci(i) result(f)
    !$omp declare target
    integer, intent(in) :: i
    if (i < 2) then
      f = i
    else
      f = fibonacci(i - 1) + fibonacci(i - 2)
    end if
  end function

  subroutine count_hit()
    !$omp declare target
    !$omp atomic update
    hits = hits + 1
  end subroutine
end module

program data
  use omp_lib
  use store
  implicit none
  integer :: failures = 0
  call module_variables()
  call regions()
  call dynamic_arrays()
  call derived()
  call sections()
  call functions()
  call queries()
  call finish()

contains
  include 'check.inc'

  subroutine module_variables()
    integer :: i, a(n)
    !$omp target teams distribute parallel do map(from: a)
    do i = 1, n
      a(i) = table(i) + int(scale)
    end do
    call check('initial values on the device', int(sum(a), 8), n * 9_8)
    table = 1
    scale = 3
    !$omp target update to(table, scale)
    !$omp target teams distribute parallel do
    do i = 1, n
      table(i) = table(i) + i * int(scale)
    end do
    !$omp target update from(table)
    call check('updates in both directions', int(sum(table), 8), n + 3_8 * n * (n + 1) / 2)
  end subroutine

  subroutine regions()
    integer :: a(n), b(n), i, round
    a = 1
    b = 0
    !$omp target data map(tofrom: a) map(from: b)
    do round = 1, 5
      !$omp target teams distribute parallel do
      do i = 1, n
        a(i) = a(i) + 1
        b(i) = a(i) * i
      end do
    end do
    !$omp end target data
    call check('target data', int(sum(a), 8), 6_8 * n)
    call check('target data, from', int(sum(b), 8), 3_8 * n * (n + 1))
    !$omp target enter data map(to: a) map(alloc: b)
    !$omp target teams distribute parallel do
    do i = 1, n
      b(i) = a(i) + i
    end do
    !$omp target exit data map(from: b) map(delete: a)
    call check('enter and exit data', int(sum(b), 8), 6_8 * n + n * (n + 1) / 2)
  end subroutine

  subroutine dynamic_arrays()
    integer, allocatable :: a(:), m(:, :)
    real(8), pointer :: p(:)
    real(8), allocatable, target :: whole(:)
    integer :: i, j
    allocate (a(n), m(20, 30), whole(n))
    a = 2
    m = 0
    whole = 1
    p => whole(11:n)
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 1, n
      a(i) = a(i) * i
    end do
    call check('allocatable', int(sum(a), 8), int(n, 8) * (n + 1))
    !$omp target teams distribute parallel do collapse(2) map(tofrom: m)
    do j = 1, 30
      do i = 1, 20
        m(i, j) = i * j
      end do
    end do
    call check('allocatable, two dimensions', int(sum(m), 8), 210_8 * 465)
    !$omp target teams distribute parallel do map(tofrom: p)
    do i = 1, size(p)
      p(i) = p(i) + i
    end do
    call check_real('pointer', sum(whole), n + (n - 10) * (n - 9) / 2d0)
    deallocate (a)
    allocate (a(-5:5))
    a = 0
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = -5, 5
      a(i) = i * i
    end do
    call check('bounds below zero', int(sum(a), 8), 110_8)
  end subroutine

  subroutine derived()
    type(point) :: one, many(100)
    integer :: i, k
    one%x = 1
    one%y = [1d0, 2d0, 3d0]
    !$omp target map(tofrom: one)
    one%x = one%x + 41
    one%y(2) = one%y(1) + one%y(3)
    !$omp end target
    call check('derived type, integer', int(one%x, 8), 42_8)
    call check_real('derived type, real', one%y(2), 4d0)
    !$omp target teams distribute parallel do private(k) map(from: many)
    do i = 1, 100
      many(i)%x = i
      do k = 1, 3
        many(i)%y(k) = i * k
      end do
    end do
    call check('array of a derived type', int(sum(many%x), 8), 5050_8)
    call check_real('array of a derived type, arrays in it', sum(many%y(3)), 15150d0)
  end subroutine

  subroutine sections()
    integer :: a(n), i
    a = 1
    !$omp target teams distribute parallel do map(tofrom: a(101:200))
    do i = 101, 200
      a(i) = a(i) + 1
    end do
    call check('section', int(sum(a), 8), n + 100_8)
    !$omp target data map(to: a)
    a = 5
    !$omp target update to(a(1:50))
    !$omp target teams distribute parallel do
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$omp target update from(a)
    !$omp end target data
    call check_that('update of a section', sum(a) == 50 * 6 + 50 * 2 + 100 * 3 + 300 * 2 .or. sum(a) == n * 6)
  end subroutine

  subroutine functions()
    integer :: a(20), i
    hits = 0
    !$omp target update to(hits)
    !$omp target teams distribute parallel do map(from: a)
    do i = 1, 20
      a(i) = twice(i) + fibonacci(i)
      call count_hit()
    end do
    !$omp target update from(hits)
    call check('functions of a module', int(sum(a), 8), 420 + 17710_8)
    call check('atomic in a function', int(hits, 8), 20_8)
  end subroutine

  subroutine queries()
    integer :: teams(8), threads(64), i
    logical :: here
    real(8) :: roots(n)
    teams = -1
    threads = -1
    !$omp target teams num_teams(8) thread_limit(32) map(tofrom: teams)
    teams(omp_get_team_num() + 1) = omp_get_num_teams()
    !$omp end target teams
    call check_that('omp_get_num_teams', teams(1) > 0 .and. all(teams(:teams(1)) == teams(1)))
    !$omp target parallel num_threads(64) map(tofrom: threads)
    threads(omp_get_thread_num() + 1) = omp_get_num_threads()
    !$omp end target parallel
    call check_that('omp_get_num_threads', threads(1) > 0 .and. all(threads(:threads(1)) == threads(1)))
    !$omp target map(from: here)
    here = omp_is_initial_device()
    !$omp end target
    write (0, '(2a)') 'ran on the ', merge('host  ', 'device', here)
    !$omp target teams distribute parallel do map(from: roots)
    do i = 1, n
      roots(i) = sqrt(real(i, 8) * real(i, 8))
    end do
    call check_real('square roots', sum(roots), n * (n + 1) / 2d0)
  end subroutine
end program
