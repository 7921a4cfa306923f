// Owns the messages protocol as a whole: the verbs of a Protocol, gathered.
import type { Protocol } from '../protocol.ts'
import { renderError, renderStreamError } from './errors.ts'
import { readFailure } from './failure.ts'
import { limitOutput, prepare, readRequest } from './request.ts'
import { stream } from './stream.ts'
import { target } from './target.ts'
import { estimateOutput, readUsage } from './usage.ts'

export const anthropic: Protocol = {
  name: 'anthropic',
  readRequest,
  decisive_fields: new Set(['model', 'stream', 'max_tokens']),
  prepare,
  limitOutput,
  target,
  readUsage,
  estimateOutput,
  stream,
  readFailure,
  renderError,
  renderStreamError,
}
