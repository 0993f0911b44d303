// Functions of the C library in target regions: what they write is what they write on the host.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#pragma omp declare target
static int backwards(const void *a, const void *b) {
  return *(const int *)b - *(const int *)a;
}

static int by_text(const void *a, const void *b) {
  return strcasecmp(*(char *const *)a, *(char *const *)b);
}

static void nothing_left(void) {}

// Nearest to a number first.
static int by_distance(const void *a, const void *b, void *to) {
  int near = abs(*(const int *)a - *(int *)to), far = abs(*(const int *)b - *(int *)to);
  return near == far ? *(const int *)a - *(const int *)b : near - far;
}

static char *list_printed(char **to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vasprintf(to, format, list);
  va_end(list);
  return *to;
}

static int printed(char *to, int most, const char *format, ...) {
  va_list list, copy;
  va_start(list, format);
  va_copy(copy, list);
  int length = most ? vsnprintf(to, most, format, list) : vsprintf(to, format, list);
  if (most == 1)
    vfprintf(stdout, format, copy);
  va_end(copy);
  va_end(list);
  return length;
}

// Each line into `to`; how many bytes there are.
static int all(char *to, int most, int three) {
  char *at = to;
#define LINE(...) at += snprintf(at, most - (at - to), __VA_ARGS__)
  for (int c = three * 11; c < 128; c += three)
    LINE("%c%d%d%d", isprint(c) ? c : '.', !!isalpha(c), !!isspace(c), !!ispunct(c));
  LINE("\n%c%c %d\n", toupper('a' + three), tolower('A' + three), isxdigit('g') != 0);
  char text[] = " -42, 0x1F;77 1.5e3 99999999999999999999";
  char *rest = text + three - 3;
  LINE("%ld ", strtol(rest, &rest, 10));
  LINE("%lu ", strtoul(rest + 1, &rest, 0));
  LINE("%d ", atoi(rest + 1));
  rest = strchr(rest, ' ');
  LINE("%.3f ", strtod(rest, &rest));
  LINE("%lld ", strtoll(rest, NULL, 10));
  LINE("%g %g\n", strtof("0x1.8p3", NULL), atof("1e-310") * 1e300);
  int numbers[40], key = three * 7;
  for (int i = 0; i < 40; i++)
    numbers[i] = (i * 7 * three + 5) % 41;
  qsort(numbers, 40, sizeof *numbers, backwards);
  for (int i = 0; i < 40; i += three)
    LINE("%d,", numbers[i]);
  int *found = bsearch(&key, numbers, 40, sizeof *numbers, backwards);
  LINE(" %d\n", found ? *found : -1);
  char sentence[] = "the quick, brown fox", *words[4], *save = NULL;
  int count = 0;
  for (char *word = strtok_r(sentence, ", ", &save); word; word = strtok_r(NULL, ", ", &save))
    words[count++] = word;
  qsort(words, count, sizeof *words, by_text);
  for (int i = 0; i < count; i++)
    LINE("[%-*s]", 3 + three, words[i]);
  char *copy = strdup("a string of the heap"), *zeros = calloc(three, 5);
  LINE("\n%s %zu %zu %d %s\n", strstr(copy, "of"), strspn(copy, "a str"), strcspn(copy, "f"), zeros[three * 4],
       strpbrk(copy, "xyz") ? "there" : "nowhere");
  free(copy);
  free(zeros);
  div_t parts = div(-47, three);
  ldiv_t more = ldiv(1L << 40, three);
  LINE("%d %d %ld %ld\n", parts.quot, parts.rem, more.quot, more.rem);
  // By their names, without the macros of the headers.
#define CLASS(name) LINE("%d", !!(name)('a' - 32 * (three & 1)) + 2 * !!(name)(three))
  CLASS(isalnum), CLASS(isalpha), CLASS(isblank), CLASS(iscntrl), CLASS(isdigit), CLASS(isgraph), CLASS(islower);
  CLASS(isprint), CLASS(ispunct), CLASS(isspace), CLASS(isupper), CLASS(isxdigit), CLASS(isascii), CLASS(toascii);
  LINE("%c%c%d%d\n", (toupper)('x'), (tolower)('X'), (isalnum)(three), isalpha(three) + isblank(' ') + iscntrl(7));
  LINE("%d%d%d%d%d%d%d ", isalnum('4') != 0, isdigit('4') != 0, isgraph('!') != 0, islower('Q') != 0, isupper('Q') != 0,
       isascii(200) != 0, toascii(200));
  char place[24], other[24], word[] = "Device";
  place[0] = 0;
  char *end = stpcpy(place, word);
  LINE("%d ", (int)(end - place));
  end = mempcpy(stpncpy(end, "runtime", three), "!?", 2);
  *end = 0;
  LINE("%s %zu %d ", place, strnlen(place, three + 2), strncasecmp(place, "dEViX", three + 1));
  memset(other, '-', sizeof other);
  end = memccpy(other, place, 'r', 23);
  bzero(end, three);
  LINE("%s %d %d ", other, bcmp(place, other, 6) != 0, bcmp(place, other, three + 8) != 0);
  LINE("%s %s ", strchrnul(place, 'r'), (char *)memrchr(place, 'e', 7));
  LINE("%s %d ", (char *)memmem(place, 11, "ce", 2), strcoll("abc", "abd") < 0);
  char *short_copy = strndup(place, three);
  LINE("%s %d %s ", short_copy, sprintf(other, "<%5s>", short_copy), other);
  free(short_copy);
  LINE("%ld %lld %llu ", atol("12345678901"), atoll("-5"), strtoull("ffffffffffffffff", NULL, 16));
  lldiv_t most_of = lldiv(-9, three + 1);
  LINE("%lld %lld ", most_of.quot, most_of.rem);
  LINE("%d %s ", printed(other, 0, "%d-%g", three, 2.5), other);
  LINE("%d %s\n", printed(other, 4, "%s", word), other);
  wchar_t wide[8], *middle = wmemset(wide, L'x', three) + three;
  wmemmove(wide + 1, wmemcpy(middle, L"abc", 4), 2);
  LINE("%zu %d %d\n", wcslen(wide), wmemcmp(wide, L"xabab", 5), (int)(wmemchr(wide, L'c', 6) - wide));
  unsigned seed = three;
  int drawn = rand_r(&seed);
  LINE("%d %08.3f|%+d|%#x|%5.1e|%-8s|%08lx|%p|%a|%.3s|%%\n", drawn, -three / 7.0, three, 255, 12345.678, "left", 1L << 33,
       (void *)0, 0.3, "truncated");
  char list[] = "one;two,,three", *left = list, *field;
  while ((field = strsep(&left, ";,")))
    LINE("<%s>", field);
  LINE(" %s %s %s ", strcasestr(place, "ICE"), index(place, 'i'), rindex(place, 'e'));
  LINE("%zu %s %s ", strxfrm(other, "collated", three + 8), other, (char *)rawmemchr("a:b", ':'));
  explicit_bzero(other, three);
  LINE("%d%s %s,%s,%s\n", other[0], other + three, strerror(0), strerror(three), strerror(ERANGE));
  imaxdiv_t widest = imaxdiv(-100, three);
  LINE("%d ", atexit(nothing_left));
  LINE("%jd %jd %jd ", imaxabs(-three), widest.quot, widest.rem);
  LINE("%jd %ju ", strtoimax("-99", NULL, 10), strtoumax("777", NULL, 8));
  qsort_r(numbers, 20, sizeof *numbers, by_distance, &key);
  LINE("%d %d ", numbers[0], numbers[19]);
  unsigned short state[3] = {three, 2, 1};
  LINE("%.17g %ld %ld ", erand48(state), nrand48(state), jrand48(state));
  char *printed_text = NULL;
  LINE("%d ", asprintf(&printed_text, "%s:%d", "in memory", three));
  LINE("%s %d ", printed_text, getenv("a variable that is nowhere") == NULL);
  free(printed_text);
  LINE("%s\n", list_printed(&printed_text, "%c%c", 'x', 'y'));
  free(printed_text);
  struct timespec nothing = {0, 1}, wrong = {0, -1}, now = {0};
  LINE("%d %d %g ", nanosleep(&nothing, NULL), nanosleep(&wrong, NULL), difftime(three, 5));
  LINE("%d %d %d\n", clock_gettime(CLOCK_MONOTONIC, &now), clock_gettime(99, &now), timespec_get(&now, 0));
  LINE("%d %d %d %d\n", ffs(three << 9), ffsl((long)three << 40), ffsll(-8LL * three), ffs(three - 3));
  return at - to;
}

// What strtok has left is one for all threads of a device.
static int count_words(void) {
  char list[] = ";one;two,,three", all[20] = "";
  int count = 0;
  for (char *field = strtok(list, ";,"); field; field = strtok(NULL, ";,"), count++)
    strcat(strcat(all, field), ".");
  return strcmp(all, "one.two.three.") == 0 ? count : -1;
}

// Whether a microsecond passes, and no hour.
static int passes(void) {
  clock_t start = clock(), now = start;
  while (now == start)
    now = clock();
  return now > start && (now - start) / CLOCKS_PER_SEC < 3600;
}

static long microseconds(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return now.tv_sec * 1000000 + now.tv_usec;
}

// Whether all clocks tell the same time, and whoever waits waits long enough.
static int agrees(void) {
  struct timespec real, utc;
  time_t seconds = 0, before = time(&seconds);
  clock_gettime(CLOCK_REALTIME, &real);
  timespec_get(&utc, TIME_UTC);
  long start = microseconds();
  usleep(20);
  long later = microseconds();
  struct timespec pause = {0, 30000};
  nanosleep(&pause, NULL);
  sleep(0);
  long last = microseconds();
  return before == seconds && real.tv_sec - before < 3600 && real.tv_sec >= before && utc.tv_sec - before < 3600 &&
         start / 1000000 - before < 3600 && later - start >= 20 && last - later >= 30;
}

// The numbers of one thread are those of the host.
static void draw(double *to) {
  unsigned short seed[3] = {1, 2, 3}, all[7] = {5, 6, 7, 8, 9, 10, 11};
  srand48(42);
  for (int i = 0; i < 3; i++)
    *to++ = drand48(), *to++ = lrand48(), *to++ = mrand48();
  unsigned short *before = seed48(seed);
  *to++ = before[0], *to++ = before[1], *to++ = before[2], *to++ = drand48();
  lcong48(all);
  *to++ = lrand48();
}
#pragma omp end declare target

#define MOST 2000

static char host[MOST], serial[MOST], region[32][MOST];

int main(void) {
  volatile int given = 3;
  int three = given, length = 0, lengths[32];
  int wanted = all(host, MOST, three);
#pragma omp target map(from : serial, length)
  length = all(serial, MOST, three);
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(from : region, lengths)
  for (int i = 0; i < 32; i++)
    lengths[i] = all(region[i], MOST, three);
  int error = 0, time = 0, words = 0;
#pragma omp target map(from : time, words)
  time = passes() && agrees(), words = count_words();
  // It is one for all threads of the device.
#pragma omp target map(tofrom : error)
  {
    errno = 0;
    error = strtol("12", NULL, 10) == 12 ? errno : -1;
    strtol("99999999999999999999", NULL, 10);
    error = error ? error : errno;
  }
  double numbers[14], of_host[14];
  draw(of_host);
#pragma omp target map(from : numbers)
  draw(numbers);
  // What strtol takes for no base.
#pragma omp target map(tofrom : error)
  {
    errno = 0;
    srandom(three + 1);
    strtol("12", NULL, 1);
    error = errno == EINVAL ? error : -2;
  }
  // Of these each thread gets another one, not the host's.
  static int drawn[64];
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(from : drawn)
  for (int i = 0; i < 64; i++) {
    if (i == 0)
      srand(three);
    drawn[i] = i % 2 ? rand() : (int)random();
  }
  qsort(drawn, 64, sizeof *drawn, backwards);
  int alike = 0;
  for (int i = 1; i < 64; i++)
    alike += drawn[i] == drawn[i - 1];
  int wrong = !time || words != 3 || alike > 1 || drawn[63] < 0 || error != ERANGE || length != wanted || strcmp(serial, host) != 0;
  wrong += memcmp(numbers, of_host, sizeof numbers) != 0;
  for (int i = 0; i < 32; i++)
    wrong += lengths[i] != wanted || strcmp(region[i], host) != 0;
  if (wrong)
    printf("host\n%sdevice\n%s", host, serial);
#pragma omp target
  {
    fprintf(stdout, "%s %d, %zu, %hhd, %a,%300s", "a kernel says", three, sizeof three, 300, 0.1, "far off");
    fputs(" and", stdout);
    fputc(' ', stdout);
    putc('-', stdout);
    putchar('\n');
    char none[1];
    printed(none, 1, "%s %ld\n", "through a list", 1L << 40);
    fwrite("a\nb\n\n", 2, 2, stdout);
    errno = ERANGE;
    // On the host it is written elsewhere.
    if (omp_is_initial_device())
      puts("a kernel: Numerical result out of range");
    else
      perror("a kernel");
    fflush(stdout);
  }
  printf("%d of %d bytes, %d wrong\n", length, wanted, wrong);
  return wrong != 0;
}
