// The provider for tests of files: a prompt with "a cat" gets an image, one with "much" a long text, any other a greeting.
import { answering } from '../../../idempotency/support.ts'
import { draws, PNG } from '../../../images/support.ts'
import { MODEL, PICTURE } from '../../../support/catalogue.ts'
import type { Answer, UpstreamRequest } from '../../../support/upstream.ts'

/** Too long for a row. */
export const LARGE_TEXT = 'é☃🦀'.repeat(30_000)

export const DRAW = { model: PICTURE, prompt: 'a cat' }
export const MUCH = { model: MODEL, messages: [{ role: 'user', content: 'much' }] }

export const provider = (seen: UpstreamRequest): Answer =>
  seen.body.includes('a cat')
    ? draws(PNG)
    : answering(seen.body.includes('much') ? LARGE_TEXT : 'Hello.')(seen)
