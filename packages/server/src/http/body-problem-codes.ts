/** Bodies that are not taken as they come: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const bodyProblemKinds = {
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    help: 'Bodies may have 1 MiB, or less if the server says so; of a compressed one that is what it comes to.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a media type that is not taken',
    help: 'Send `Content-Type: application/json`.',
  },
  unsupported_encoding: {
    status: 415,
    title: 'The body is compressed in a way that is not taken',
    help: 'The header `Accept-Encoding` of the answer names the ways. Send one of them, or the body as it is.',
  },
} as const
