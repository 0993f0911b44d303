! Assignments of whole arrays and parts, which flang-22 leaves to the Fortran runtime: all at -O0, those of firstprivate arrays always.
program arrays
  implicit none
  integer, parameter :: n = 40
  integer :: failures = 0
  call parts()
  call copies()
  call matrices()
  call finish()

contains
  include 'check.inc'

  subroutine parts()
    integer :: a(n), b(n)
    a = 1
    b = 0
    !$omp target map(tofrom: a, b)
    a(2:n) = a(1:n - 1) + 1
    a(1:n - 1) = a(2:n)
    b = a
    b(n:1:-2) = b(1:n:2)
    a(n) = 7
    b(1:3) = [10, 20, 30]
    !$omp end target
    call check('over each other', sum(int(a, 8)), 2 * (n - 1) + 7_8)
    call check('backwards', sum(int(b, 8)), 60 + 2 * (n - 3_8))
  end subroutine

  subroutine copies()
    integer :: results(n), own(4), i
    results = 0
    !$omp target teams distribute parallel do map(tofrom: results) private(own)
    do i = 1, n
      own = i
      own(2:3) = own(1:2) + 1
      results(i) = own(1) + 10 * own(2) + 100 * own(3) + 1000 * own(4)
    end do
    call check('private', sum(int(results, 8)), 1111_8 * n * (n + 1) / 2 + 110 * n)
    !$omp target map(tofrom: results)
    own = 5
    !$omp parallel do firstprivate(own)
    do i = 1, n
      own(1) = own(1) + i
      results(i) = own(4)
    end do
    !$omp end target
    call check('firstprivate', sum(int(results, 8)), 5_8 * n)
  end subroutine

  subroutine matrices()
    real(8) :: a(6, 5), b(5, 6), total
    integer :: i, j
    a = 0
    b = 0
    total = 0
    !$omp target map(tofrom: a, b, total)
    a = 2
    a(2, :) = 3
    a(:, 1) = a(1:6, 5) * 2
    do j = 1, 5
      b(j, :) = a(:, j)
    end do
    b(2:3, 2:4) = 1.5d0
    do i = 1, 6
      do j = 1, 5
        total = total + b(j, i) * i
      end do
    end do
    !$omp end target
    call check_real('rows and columns', total, 251d0)
  end subroutine
end program
