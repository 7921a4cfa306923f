// Owns the native generation protocol as a whole: the verbs of a Protocol, gathered.
import type { Protocol } from '../protocol.ts'
import { renderError, renderStreamError } from './errors.ts'
import { readFailure } from './failure.ts'
import { limitOutput, readRequest } from './request.ts'
import { stream } from './stream.ts'
import { target } from './target.ts'
import { estimateOutput, readUsage } from './usage.ts'

export const gemini: Protocol = {
  name: 'gemini',
  readRequest,
  decisive_fields: new Set(['contents', 'generationConfig', 'generation_config']),
  // The address says the model, and whether to stream.
  prepare: (body) => body,
  limitOutput,
  target,
  readUsage,
  estimateOutput,
  stream,
  readFailure,
  renderError,
  renderStreamError,
}
