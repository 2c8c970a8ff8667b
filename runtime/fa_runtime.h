/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The runtime's C ABI: opens an artefact of fa-compile, prepares a launch and
 * launches it, on a CUDA device or on the CPU.
 *
 *   fa_artifact *artifact;  fa_plan *plan;
 *   fa_artifact_open("attention.ptx", &artifact);
 *   fa_prepare(artifact, device, tensors, 4, NULL, 0, NULL, &plan);  // once a
 * shape for (...) fa_launch(plan, stream);                               //
 * many times fa_plan_destroy(plan);  fa_artifact_close(artifact);
 *
 * Rules that hold for every call
 * - It returns FA_OK or says what went wrong; the text is then in
 *   fa_last_error(), which belongs to the calling thread. A call that fails has
 *   no other effect, and leaves its results unwritten.
 * - Any call may be made from any thread at any time; only destroying an object
 *   while another call uses it is an error of the caller.
 * - Strings that a call hands out belong to the object that they came from and
 *   live as long as it does.
 * - CUDA calls work in the context that is current in the calling thread. The
 *   driver is opened by the first call that needs it; a program that makes none
 *   needs no driver. The environment variable FA_CUDA_DRIVER names another
 *   library than libcuda.so.1.
 * - A stream is a CUstream passed as void *; NULL is the default stream.
 * - Sizes and strides count elements, "bytes" count bytes, times are in
 *   milliseconds.
 */
#ifndef FA_RUNTIME_H
#define FA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FA_API __attribute__((visibility("default")))
#else
#define FA_API
#endif

/* The version of this interface: 1000 * major + minor. Minor versions only add.
 */
#define FA_RUNTIME_VERSION 1002
/* The largest rank of a tensor. */
#define FA_MAX_RANK 8

typedef int32_t fa_status;
enum {
  FA_OK = 0,
  FA_INVALID_ARGUMENT = 1, /* an argument of the call, or a tensor, is wrong */
  FA_INVALID_ARTIFACT = 2, /* not an artefact, damaged, or of another version */
  FA_IO_ERROR = 3,         /* a file cannot be read */
  FA_NO_DEVICE = 4,        /* no driver, no device, no current context */
  FA_UNSUPPORTED = 5,      /* right, but not on this chip, driver or CPU */
  FA_OUT_OF_MEMORY = 6,    /* of the host or of the device */
  FA_IN_CAPTURE = 7,       /* not allowed while a stream is being captured */
  FA_DRIVER_ERROR = 8      /* a call of the driver failed */
};

typedef int32_t fa_type;
enum {
  FA_F16 = 1,
  FA_BF16 = 2,
  FA_F32 = 3,
  FA_F64 = 4,
  FA_I1 = 5, /* one byte, 0 or 1 */
  FA_I8 = 6,
  FA_I16 = 7,
  FA_I32 = 8,
  FA_I64 = 9
};

typedef int32_t fa_device_kind;
enum { FA_CPU = 1, FA_CUDA = 2 };

/* index: 0 on the CPU, the CUDA ordinal else. */
typedef struct fa_device {
  fa_device_kind kind;
  int32_t index;
} fa_device;

/* A tensor as the caller has it; the memory stays the caller's. data may be
 * NULL where a size is 0. Strides may be 0 (inputs only) or negative. */
typedef struct fa_tensor {
  const char *name; /* as in the artefact: q, k, v, o, lse, ... */
  void *data;
  fa_type type;
  int32_t rank;
  int64_t sizes[FA_MAX_RANK];
  int64_t strides[FA_MAX_RANK];
  fa_device device;
} fa_tensor;

/* The value of a launch parameter. type says which member of value holds it,
 * FA_F64 or FA_I64; it is converted to the artefact's type. */
typedef struct fa_scalar {
  const char *name;
  fa_type type;
  union {
    double f;
    int64_t i;
  } value;
} fa_scalar;

typedef struct fa_artifact fa_artifact;
typedef struct fa_plan fa_plan;

/* ---- Version and errors (these three cannot fail) -------------------------
 */

/* FA_RUNTIME_VERSION of the library that is running. */
FA_API uint32_t fa_version(void);
/* The text of this thread's last failure ("" before the first one); valid until
 * the thread's next fa_* call that fails. */
FA_API const char *fa_last_error(void);
/* "FA_OK", ... */
FA_API const char *fa_status_name(fa_status status);

/* ---- Artefacts ------------------------------------------------------------
 */

/* Reads an artefact and checks it whole (manifest and hash); nothing is loaded
 * into a device or run. The object is free of any device or context. */
FA_API fa_status fa_artifact_open(const char *path, fa_artifact **artifact);
/* The same from memory; the bytes are copied. */
FA_API fa_status fa_artifact_open_memory(const void *bytes, size_t size,
                                         fa_artifact **artifact);
/* NULL is allowed. Plans made from it stay usable. With the last of both goes
 * what was loaded: the work launched must be done then, and the graphs that
 * captured it not be launched any more. */
FA_API fa_status fa_artifact_close(fa_artifact *artifact);

/* The manifest's text, NUL-terminated. */
FA_API fa_status fa_artifact_manifest_json(const fa_artifact *artifact,
                                           const char **json);

typedef struct fa_target_info {
  fa_device_kind kind;
  const char *name;     /* the entry name of the artefact */
  const char *producer; /* "fa-compile 0.1.0" */
  const char *chip;     /* "sm_80"; on the CPU the CPU's name, "x86-64-v3" */
  int32_t exact;        /* CUDA: 1 = that chip only, 0 = that one or newer */
  const char *body_sha256;
} fa_target_info;
/* What the artefact runs on. */
FA_API fa_status fa_artifact_target(const fa_artifact *artifact,
                                    fa_target_info *info);

/* What is computed, for people and for checks; no launch depends on it. */
typedef struct fa_problem_info {
  const char *layout;       /* "bhsd", "bshd", "packed" */
  int32_t bottom_right;     /* alignment of the mask; 0 = top left */
  int32_t causal;           /* 0 or 1 */
  int64_t window_left;      /* -1 = unbounded */
  int64_t window_right;     /* -1 = unbounded */
  int32_t has_score_region; /* 0 or 1 */
  int32_t has_mask_region;  /* 0 or 1 */
  int32_t is_reference;     /* 1: this artefact is the definition, in float64 */
} fa_problem_info;
/* The problem that the artefact was compiled for. */
FA_API fa_status fa_artifact_problem(const fa_artifact *artifact,
                                     fa_problem_info *info);

typedef struct fa_tensor_info {
  const char *name;
  int32_t is_output; /* 0 or 1 */
  fa_type type;
  int32_t rank;
  int64_t dims[FA_MAX_RANK];        /* -1 where the size is not fixed */
  const char *symbols[FA_MAX_RANK]; /* the symbol there, else NULL; equal
                                       symbols stand for equal sizes */
} fa_tensor_info;
/* How many tensors fa_prepare takes, inputs and outputs. */
FA_API fa_status fa_artifact_tensor_count(const fa_artifact *artifact,
                                          size_t *count);
/* The tensor of this index, from 0: inputs first. */
FA_API fa_status fa_artifact_tensor(const fa_artifact *artifact, size_t index,
                                    fa_tensor_info *info);

typedef struct fa_scalar_info {
  const char *name;
  fa_type type;
  int32_t has_default;
  double default_value;
  const char *value_class; /* "positive", "zero", "negative", "any" */
} fa_scalar_info;
/* How many launch parameters there are. */
FA_API fa_status fa_artifact_scalar_count(const fa_artifact *artifact,
                                          size_t *count);
/* The launch parameter of this index, from 0. */
FA_API fa_status fa_artifact_scalar(const fa_artifact *artifact, size_t index,
                                    fa_scalar_info *info);

typedef struct fa_kernel_info {
  const char *name;
  const char *note; /* not "": why this one is the slower fallback */
  int32_t block;    /* threads of a block, 1 on the CPU */
  int64_t shared_bytes;
} fa_kernel_info;
/* How many kernels there are to choose from. */
FA_API fa_status fa_artifact_kernel_count(const fa_artifact *artifact,
                                          size_t *count);
/* The kernel of this index, from 0: the first one that fits is launched. */
FA_API fa_status fa_artifact_kernel(const fa_artifact *artifact, size_t index,
                                    fa_kernel_info *info);

/* ---- Preparing and launching ----------------------------------------------
 */

typedef struct fa_prepare_options {
  size_t struct_size; /* sizeof(fa_prepare_options) */
  const char *kernel; /* this kernel instead of the first that fits, or NULL */
  void *stream;       /* the stream to launch on later: its scratch memory is
                         then allocated now and not by the first launch */
} fa_prepare_options;

/* Loads what is needed, checks the tensors (names, types, ranks, relations of
 * the sizes, strides, alignment, device, overlap), chooses the kernel and
 * builds its parameters. Tensors in any order, all of the artefact's; scalars
 * that have a default may be left out. On CUDA the current context must belong
 * to `device`; an artefact is loaded once a context. options may be NULL.
 * Refused with FA_IN_CAPTURE while a capture is under way that this would
 * break. The arrays are copied; the tensors' memory is not touched. */
FA_API fa_status fa_prepare(const fa_artifact *artifact, fa_device device,
                            const fa_tensor *tensors, size_t tensor_count,
                            const fa_scalar *scalars, size_t scalar_count,
                            const fa_prepare_options *options, fa_plan **plan);
/* NULL is allowed. Work launched with it may still be under way, and graphs
 * that captured it stay valid, for as long as the artefact, or another plan of
 * it, is there. */
FA_API fa_status fa_plan_destroy(fa_plan *plan);

/* Launches. CUDA: asynchronous on `stream`, in the plan's context, which must
 * be current; allowed inside a graph capture. CPU: runs on the process's thread
 * pool (FA_NUM_THREADS threads, else one for each CPU of the affinity mask) and
 * returns when done; `stream` must be NULL.
 * Where the kernel has scratch memory, the artefact has one for each stream and
 * for each graph captured: a stream is destroyed only when the launches on it
 * are done, and a graph that holds launches does not run twice at a time, also
 * when it is instantiated twice. A plan does not change: it may be launched
 * from several threads at once, as long as the caller keeps the outputs apart.
 */
FA_API fa_status fa_launch(const fa_plan *plan, void *stream);
/* The same with other addresses: data[i] stands for tensors[i] of fa_prepare
 * (sizes, strides and device as there), NULL for the address given there.
 * Checked again: alignment, overlap, and that the plan's kernel fits; the
 * device of a pointer is not. Where the kernel takes tensor maps, each one of
 * another address is built anew (some 80 ns). */
FA_API fa_status fa_launch_with(const fa_plan *plan, void *const *data,
                                size_t count, void *stream);

/* The kernel chosen. */
FA_API fa_status fa_plan_kernel_name(const fa_plan *plan, const char **name);
/* "" or why this kernel is a slower fallback. */
FA_API fa_status fa_plan_note(const fa_plan *plan, const char **note);
/* The number of blocks (CPU: calls of the kernel), one a tile unless the kernel
 * is persistent; 0 = a launch does nothing and succeeds. */
FA_API fa_status fa_plan_grid(const fa_plan *plan, int64_t *grid);

/* ---- Compiled modules -----------------------------------------------------
 */

/* What modules call that have artefacts inside (pass fa-embed). Addresses are
 * integers here, so that code without pointers can pass them.
 * - artifact, size: the artefact's bytes.
 * - state: eight bytes beside them that are zero at first and belong to this
 *   call from then on.
 * - values, count: 64 bits each. Of every tensor of the artefact, in its order,
 *   the address, the sizes and the strides; then its scalars, floating ones as
 *   f64, others as i64.
 * - stream: as for fa_launch; 0 on CUDA: that of fa_embedded_use_stream.
 * On CUDA the device is that of the current context. The first call opens the
 * artefact; plans are kept by shape, so that a later call of the same shape
 * only launches. */
FA_API fa_status fa_embedded_launch(int64_t artifact, int64_t size,
                                    int64_t state, int64_t values,
                                    int64_t count, int64_t stream);
/* The stream that this thread's fa_embedded_launch calls take on CUDA where
 * their own `stream` is 0, as it is in what fa-embed makes; NULL, as at first,
 * is the default stream. A host sets its stream before it calls a compiled
 * module; the stream has to belong to the context that is current in the calls,
 * and to be there until they return. Returns the stream that was set before, so
 * that it can be put back; cannot fail. Calls of CPU artefacts ignore it. Since
 * interface version 1.2. */
FA_API void *fa_embedded_use_stream(void *stream);
/* Ends the process with the reason on standard error unless status is FA_OK. */
FA_API void fa_embedded_check(fa_status status);

/* ---- Helpers for tools ----------------------------------------------------
 */

typedef struct fa_device_info {
  char name[128];
  char pci_bus_id[32]; /* "" on the CPU */
  int32_t major;       /* compute capability, 0 on the CPU */
  int32_t minor;
  int32_t units;          /* multiprocessors; threads of the pool on the CPU */
  int32_t driver_version; /* 13000 = CUDA 13.0; 0 on the CPU */
} fa_device_info;
/* FA_NO_DEVICE (not a count of 0) where there is no CUDA driver. */
FA_API fa_status fa_device_count(fa_device_kind kind, int32_t *count);
/* What the device is. It need not be in use. */
FA_API fa_status fa_device_query(fa_device device, fa_device_info *info);
/* Retains the device's primary context and makes it current in this thread;
 * each use needs a release, and the last one comes behind the closing of the
 * artefacts whose plans were for the device. Nothing to do on the CPU. */
FA_API fa_status fa_device_use(fa_device device);
/* Gives up one hold of fa_device_use. */
FA_API fa_status fa_device_release(fa_device device);

/* Device memory, aligned to at least 64 bytes; 0 bytes give NULL. */
FA_API fa_status fa_memory_alloc(fa_device device, size_t bytes, void **data);
/* Frees what fa_memory_alloc gave on that device; NULL is allowed. */
FA_API fa_status fa_memory_free(fa_device device, void *data);
/* Synchronous copy between host and device or inside one of them. */
FA_API fa_status fa_memory_copy(fa_device to_device, void *to,
                                fa_device from_device, const void *from,
                                size_t bytes);
/* Every byte becomes `value`; done when the call returns. */
FA_API fa_status fa_memory_fill(fa_device device, void *data, uint8_t value,
                                size_t bytes);

/* A new CUDA stream (CUstream) of the current context, that does not wait for
 * the default stream. */
FA_API fa_status fa_stream_create(void **stream);
/* Destroys a stream once its work is done. */
FA_API fa_status fa_stream_destroy(void *stream);
/* Returns when the work given to the stream so far is done. */
FA_API fa_status fa_stream_synchronize(void *stream);
/* A new CUDA event (CUevent) of the current context, with timing. */
FA_API fa_status fa_event_create(void **event);
/* Destroys an event. */
FA_API fa_status fa_event_destroy(void *event);
/* Lets the event stand for the work given to the stream so far. */
FA_API fa_status fa_event_record(void *event, void *stream);
/* The time between two recorded events; waits for `stop`. */
FA_API fa_status fa_event_elapsed(void *start, void *stop, float *milliseconds);

#ifdef __cplusplus
}
#endif

#endif /* FA_RUNTIME_H */
