/** The part of a configuration that is about the queue in Redis. Its address is a secret, and stands in `REDIS_URL`. */
import { queueSettings } from '@signalbox/bullmq'
import { z } from 'zod'

/** A prefix becomes part of keys, channels and, on a cluster, a hash tag. */
export const queuePrefixForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const queuePrefixRule =
  'a prefix is 1 to 64 of A-Z a-z 0-9 . _ - and begins with a letter or digit'

/** `queue` of a configuration. */
export const QueueSection = z.strictObject({
  /** First part of every key and channel in Redis. Installations that share a Redis need different ones. Overridden by `SIGNALBOX_QUEUE_PREFIX`. */
  prefix: z.string().regex(queuePrefixForm, queuePrefixRule).default(queueSettings.redisPrefix),
})
