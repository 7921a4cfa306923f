// A protocol for tests only: all that a new protocol needs.
import { invalidRequest } from '../../../src/domain/errors.ts'
import { DEFAULT_FAILURE_CLASSES } from '../../../src/protocols/failure-class.ts'
import { refusalMessage } from '../../../src/protocols/failures.ts'
import type { Protocol } from '../../../src/protocols/protocol.ts'
import { namesFrom } from '../../../src/protocols/wire/json-names.ts'
import {
  createStreamDecoder,
  createStreamEncoder,
  decodeAnswer,
  encodeAnswer,
  estimateOutput,
  openStream,
  readUsage,
  showUsage,
} from './answer.ts'
import { carries } from './carries.ts'
import { decodeRequest, encodeRequest, readRequest } from './request.ts'

export const toy: Protocol = {
  name: 'toy',
  key_header: 'authorization',
  keyless_over_http: true,
  carries,
  readFailure: (status, _, body) => ({
    failure_class: DEFAULT_FAILURE_CLASSES[status] ?? 'upstream_error',
    message: refusalMessage(undefined, status, body),
    retry_after_s: undefined,
  }),
  renderError: ({ message }) => ({ status: 400, body: { oops: message } }),
  renderStreamError: ({ message }) => JSON.stringify({ oops: message }),
  text: {
    readRequest,
    leastTokens: () => 0,
    promptTooLong: () => invalidRequest('Say less.'),
    names: namesFrom({ model: 'value', limit: 'count', ways: 'count', live: 'value' }),
    prepare: (body, { model }) => ({ ...body, model }),
    limitOutput: (body, limit) => ({ ...body, limit }),
    target: () => ({ path: '/talk', headers: {} }),
    readUsage,
    showUsage,
    estimateOutput,
    stream: { open: openStream },
    model_places: { answer: ['model'], event: ['model'] },
    decodeRequest,
    encodeRequest,
    decodeAnswer,
    encodeAnswer,
    createStreamDecoder,
    createStreamEncoder,
  },
}
