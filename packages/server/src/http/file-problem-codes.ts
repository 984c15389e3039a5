/** Problems of files and uploads: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const fileProblemKinds = {
  malformed_multipart: {
    status: 400,
    title: 'The body is not multipart/form-data as it should be',
    help: 'Each part has a `Content-Disposition: form-data` with a name and a file name, and the body ends with its boundary. A body that was broken off leaves nothing.',
  },
  unknown_file: {
    status: 404,
    title: 'The thread has no such file',
    help: 'GET /threads/{thread_id}/files lists its files, with `at` those of a checkpoint.',
  },
  unknown_image: {
    status: 404,
    title: 'The thread has no such image',
    help: 'Messages and results name the images that they show, by key. One of another thread is not found here.',
  },
  unknown_upload: {
    status: 404,
    title: 'The thread has no such upload',
    help: 'An upload belongs to the thread that it was made on, and is removed after 24 hours. Upload the file again; one that a run has named is among the files of the thread.',
  },
  not_recorded: {
    status: 409,
    title: 'The files of threads stand in a directory',
    help: 'With `workspace.root` nothing of files is recorded: there are no uploads, no earlier states, and no changes of a run. List, read, write and delete the files as they are.',
  },
  path_taken: {
    status: 409,
    title: 'Something else stands at this path',
    help: 'A path is a file or a directory, and nothing stands below a file. Delete what is in the way, or take another path.',
  },
  files_full: {
    status: 409,
    title: 'The thread takes no more files',
    help: 'A thread holds at most 10000 files and 256 MiB. Delete some, or use another thread.',
  },
  too_many_uploads: {
    status: 409,
    title: 'Too many uploads of the thread wait to be named',
    help: 'At most 200 are there at a time. Start a run that names them, or wait until they are a day old.',
  },
  content_erased: {
    status: 410,
    title: 'The content was erased',
    help: 'The log says that there was such a file, and nobody can read it any more.',
  },
  file_too_large: {
    status: 413,
    title: 'The file is too large',
    help: 'A file has at most 16 MiB, and one request uploads at most 10 files with 100 MiB.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range begins behind the end of the file',
    help: 'The Content-Range of the answer says how long the file is.',
  },
  bad_file_name: {
    status: 422,
    title: 'The name of the file is none that it may have',
    help: '1 to 200 characters, and at most 200 bytes as UTF-8; without control characters, invisible characters and marks that change the direction, without \\ : * ? " < > |, without a dot at its beginning or end, and no name of a device of Windows.',
  },
} as const
