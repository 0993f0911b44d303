! Allocatable variables and pointers in target regions, and array constructors of an unknown number of values: their memory is the
! device's heap. Also by many threads at once.
program pointers
  implicit none
  integer, target :: x, y(10)
  integer :: r(40), teams(50), i, stat, failures = 0
  real(8) :: reals(8)
  character(8) :: words(6)
  character(40) :: message
  y = [(i, i = 1, 10)]
  r = 0; teams = 0; reals = 0; words = ''; message = ''; x = 5

  !$omp target map(tofrom: x, y, r, reals, words, message)
  block
    integer, pointer :: p, q(:), m(:, :)
    integer, allocatable :: a(:), b(:, :), c(:)
    integer, target :: own(6)
    character(:), allocatable :: text
    character(3), allocatable :: texts(:)
    ! Pointers.
    nullify(p)
    r(1) = merge(1, 0, associated(p))
    p => x
    r(2) = p
    r(3) = merge(1, 0, associated(p, x)) + merge(2, 0, associated(p, y(1)))
    q => y(2:8:2)
    r(4) = sum(q) * 10 + size(q)
    r(5) = merge(1, 0, associated(q, y(2:8:2))) + merge(2, 0, associated(q, y(2:8:3))) + merge(4, 0, associated(q, y))
    q(0:) => y(3:6)
    r(6) = lbound(q, 1) * 100 + ubound(q, 1) * 10 + q(0)
    own = [1, 2, 3, 4, 5, 6]
    m(1:2, 0:2) => own
    r(7) = m(2, 2) * 100 + m(1, 0) * 10 + lbound(m, 2)
    allocate(q(-1:3), stat=stat)
    q = 2
    r(8) = sum(q) * 100 + lbound(q, 1) * 10 + stat
    deallocate(q)
    r(9) = merge(1, 0, associated(q))
    allocate(m(2, 3), source=4)
    r(10) = sum(m)
    deallocate(m)
    allocate(q, source=y(5:7))
    r(11) = q(1) * 100 + q(3)
    deallocate(q)
    deallocate(q, stat=stat, errmsg=message)
    r(12) = merge(1, 0, stat /= 0)
    ! Allocatable variables.
    r(13) = merge(1, 0, allocated(a))
    allocate(a(5))
    a = 7
    allocate(a(2), stat=stat)
    r(14) = sum(a) * 10 + merge(1, 0, stat /= 0)
    allocate(b(2, 3), source=reshape([1, 2, 3, 4, 5, 6], [2, 3]))
    r(15) = b(2, 1) * 10 + b(1, 3)
    call move_alloc(a, c)
    r(16) = size(c) * 10 + merge(1, 0, allocated(a))
    allocate(a(3))
    a = [1, 2, 3]
    call move_alloc(a, c)
    r(17) = size(c) * 100 + sum(c)
    ! Assignments that change a shape.
    c = [c, 9, c(2:3)]
    r(18:23) = c
    r(24) = size(c)
    c = c(2:4)
    r(25) = size(c) * 1000 + c(1) * 100 + c(2) * 10 + c(3)
    b = reshape([y, 11, 12], [3, 4])
    r(26) = size(b, 1) * 1000 + size(b, 2) * 100 + b(3, 4)
    c = [integer ::]
    r(27) = size(c)
    c = pack(y, y > 4)
    r(28) = size(c) * 100 + c(6)
    ! Array constructors.
    r(29) = sum([(pack(y, mod(y, i) == 0), i = 2, 4)])
    r(30) = size([pack(y, y > 3), 1, pack(y, y > 8)])
    reals(1:3) = [pack(1d0 * y, y > 8), 0.5d0]
    ! Texts.
    text = 'ab'
    text = text // 'cde'
    words(1) = text
    r(31) = len(text)
    texts = ['abc', 'def']
    texts = [texts, 'xyz']
    words(2:4) = texts
    r(32) = size(texts)
    deallocate(text)
    r(33) = merge(1, 0, allocated(text))
  end block
  !$omp end target

  !$omp target teams distribute parallel do map(tofrom: teams)
  do i = 1, 50
    block
      integer, allocatable :: own(:)
      integer, pointer :: p(:)
      integer :: k
      allocate(own(i))
      own = i
      own = [own, [(k, k = 1, i)]]
      allocate(p(2 * i))
      p = own + 1
      teams(i) = sum(own) * 1000 + sum(p) - sum(own)
      deallocate(p)
    end block
  end do

  print '(10i8)', r
  print '(10i8)', teams
  print *, reals
  print *, words
  print *, len_trim(message) > 0
end program
