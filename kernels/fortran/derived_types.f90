! Derived types on the device: first values, components that are allocated, assignments of them, arrays of them, and copies that
! live as long as a call.
module shapes
  implicit none
  type point
    real(8) :: x = 1.5d0, y = -2
    integer :: tags(3) = [7, 8, 9]
  end type
  type cloud
    integer :: number = 3
    type(point), allocatable :: points(:)
    real(8), allocatable :: weights(:, :)
    character(:), allocatable :: name
    integer, pointer :: shared(:) => null()
  end type
  type pair
    type(cloud) :: both(2)
    integer :: last = 11
  end type
  ! Types in types, each with memory of its own.
  type inmost
    integer, allocatable :: value(:)
  end type
  type fifth
    type(inmost), allocatable :: of(:)
  end type
  type fourth
    type(fifth) :: of(2)
  end type
  type third
    type(fourth), allocatable :: of
  end type
  type second
    type(third) :: of
  end type
  type first
    type(second), allocatable :: of(:)
  end type
contains
  function made(n) result(new)
    !$omp declare target
    integer, intent(in) :: n
    type(cloud) :: new
    integer :: i
    allocate (new%points(0:n - 1), new%weights(n, 2))
    do i = 0, n - 1
      new%points(i)%x = i
      new%weights(i + 1, :) = [i, -i]
    end do
    new%name = repeat('ab', n)
  end function

  subroutine add(to, from)
    !$omp declare target
    real(8), intent(inout) :: to(3)
    integer, intent(in) :: from(*)
    to = to + from(1:3)
  end subroutine
end module

program derived_types
  use shapes
  implicit none
  integer :: failures = 0
  call first_values()
  call assignments()
  call arrays_of_them()
  call types_in_types()
  call parts_of_components()
  call each_thread()
  call finish()

contains
  include 'check.inc'

  subroutine first_values()
    integer(8) :: seen(6)
    seen = 0
    !$omp target map(tofrom: seen)
    block
      type(cloud) :: one
      type(pair), allocatable :: several(:)
      allocate (several(4))
      allocate (one%points(5))
      seen(1) = int(sum(one%points%x) * 2 + sum(one%points%y))
      seen(2) = sum(one%points(5)%tags) + one%number
      seen(3) = merge(1, 0, allocated(several(3)%both(2)%points)) + merge(10, 0, associated(several(4)%both(1)%shared))
      seen(4) = sum(several%last) + several(4)%both(2)%number
      deallocate (one%points)
      seen(5) = merge(1, 0, allocated(one%points))
    end block
    !$omp end target
    call check('numbers', seen(1), 5_8)
    call check('arrays', seen(2), 27_8)
    call check('nothing is allocated', seen(3), 0_8)
    call check('of several elements', seen(4), 47_8)
    call check('not any more', seen(5), 0_8)
  end subroutine

  subroutine assignments()
    integer(8) :: seen(6)
    seen = 0
    !$omp target map(tofrom: seen)
    block
      type(cloud) :: one, other
      type(pair) :: two
      one = made(4)
      other = one
      other%points(2)%x = 100
      other%name = 'c'
      seen(1) = int(sum(one%points%x)) + 1000 * int(sum(other%points%x)) + 1000000 * lbound(other%points, 1)
      seen(2) = len(one%name) + 10 * len(other%name) + int(sum(other%weights(:, 1)) * 100 - sum(one%weights(:, 2)) * 1000)
      one = made(2)
      seen(3) = size(one%points) + 10 * size(other%points) + 100 * len(one%name)
      two%both(1) = other
      two%both(2) = two%both(1)
      two%both = two%both(2:1:-1)
      two%both(1)%points(1)%y = 7
      other = made(1)
      seen(4) = int(two%both(1)%points(1)%y) + 100 * int(two%both(2)%points(2)%x) + int(two%both(2)%points(1)%y)
      one = one
      seen(5) = size(one%points) + int(one%points(1)%x)
    end block
    !$omp end target
    call check('each its own points', seen(1), 104006_8)
    call check('text and matrices', seen(2), 6618_8)
    call check('another shape', seen(3), 442_8)
    call check('inside another type', seen(4), 10005_8)
    call check('itself', seen(5), 3_8)
  end subroutine

  subroutine arrays_of_them()
    integer(8) :: seen(4)
    integer :: i
    seen = 0
    !$omp target map(tofrom: seen)
    block
      type(cloud), allocatable :: all(:), some(:)
      type(cloud) :: matrix(2, 2)
      all = [(made(i), i = 1, 4)]
      some = pack(all, [.true., .false., .true., .true.])
      all(1)%points(0)%x = 50
      do i = 1, size(some)
        seen(1) = seen(1) * 10 + size(some(i)%points)
      end do
      seen(2) = int(some(1)%points(0)%x) + len(some(3)%name)
      matrix = reshape(all, [2, 2])
      deallocate (all)
      seen(3) = size(matrix(1, 2)%points) + 10 * size(matrix(2, 2)%points) + int(matrix(1, 1)%points(0)%x)
      some = cshift(some, 1)
      seen(4) = size(some(3)%points)
    end block
    !$omp end target
    call check('packed', seen(1), 134_8)
    call check('of their own', seen(2), 8_8)
    call check('reshaped', seen(3), 93_8)
    call check('shifted', seen(4), 1_8)
  end subroutine

  subroutine types_in_types()
    integer(8) :: seen(3)
    integer :: i, j
    seen = 0
    !$omp target map(tofrom: seen)
    block
      type(first) :: one
      type(first), allocatable :: copies(:)
      allocate (one%of(3), copies(2))
      do i = 1, 3
        allocate (one%of(i)%of%of)
        do j = 1, 2
          allocate (one%of(i)%of%of%of(j)%of(2))
          one%of(i)%of%of%of(j)%of(2)%value = [i, 10 * j]
        end do
      end do
      copies(:) = one
      do i = 1, 3
        do j = 1, 2
          one%of(i)%of%of%of(j)%of(2)%value = 0
          seen(1) = seen(1) + sum(copies(2)%of(i)%of%of%of(j)%of(2)%value)
          copies(2)%of(i)%of%of%of(j)%of(2)%value(1) = 100
          seen(2) = seen(2) + sum(copies(1)%of(i)%of%of%of(j)%of(2)%value)
        end do
      end do
      seen(3) = merge(1, 0, allocated(copies(1)%of(1)%of%of%of(2)%of(1)%value))
    end block
    !$omp end target
    call check('a copy', seen(1), 102_8)
    call check('another', seen(2), 102_8)
    call check('not allocated', seen(3), 0_8)
  end subroutine

  ! Arguments that must not have gaps: copied to the call, and back.
  subroutine parts_of_components()
    type(point) :: points(3)
    real(8) :: matrix(4, 6)
    integer :: numbers(9), i
    numbers = [(i, i = 1, 9)]
    matrix = 1
    !$omp target map(tofrom: points, matrix, numbers)
    call add(points%x, numbers(1:9:4))
    call add(matrix(2, 2:6:2), points(3:1:-1)%tags(2))
    !$omp end target
    call check('a component of each', int(sum(points%x * [1, 10, 100]), 8), 1117_8)
    call check('a row', int(sum(matrix), 8), 24 + 3 * 8_8)
  end subroutine

  subroutine each_thread()
    integer, parameter :: n = 40
    integer :: results(n), i
    results = 0
    !$omp target teams distribute parallel do map(tofrom: results)
    do i = 1, n
      block
        type(cloud) :: own, copy
        own = made(mod(i, 4) + 1)
        copy = own
        copy%points(0)%x = i
        results(i) = int(copy%points(0)%x) + 100 * size(own%points) + int(own%points(0)%x)
      end block
    end do
    call check('each thread its own', sum(int(results, 8)), 100_8 * 100 + n * (n + 1) / 2)
  end subroutine
end program
