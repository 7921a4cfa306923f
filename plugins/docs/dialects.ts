// The dialects of the surfaces: where their callers put their keys, and the shape and status of each kind of error.
import { COMMON_FORMS, type CredentialForm, MESSAGES_FORMS, NATIVE_FORMS } from '../../src/access/gate.ts'
import type { RenderError } from '../../src/http/answers.ts'
import { renderImageError } from '../../src/http/image-error.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { renderError as anthropicError } from '../../src/protocols/anthropic/errors.ts'
import { renderError as googleError } from '../../src/protocols/gemini/errors.ts'
import { renderError as openaiError } from '../../src/protocols/openai/errors.ts'
import { constant, count, either, object, orNull, ref, type Schema, text } from './schema.ts'

interface Dialect {
  readonly forms: readonly CredentialForm[]
  readonly render: RenderError
  /** The shared schema of its errors. */
  readonly error: keyof typeof ERROR_SCHEMAS
}

const message = text('What is wrong, and what to do.')

export const ERROR_SCHEMAS = {
  Error: object(
    {
      error: object(
        {
          message,
          type: text('The kind of error.'),
          code: text('The error more exactly, for programs.'),
          param: orNull(text('The field or parameter at fault.')),
        },
        { required: ['message', 'type', 'code', 'param'] },
      ),
    },
    { required: ['error'] },
  ),
  OpenAIError: object(
    {
      error: object(
        {
          message,
          type: text("The kind of error, in OpenAI's words."),
          param: orNull(text('The field at fault.')),
          code: orNull(text('The error more exactly, for programs.')),
        },
        { required: ['message', 'type', 'param', 'code'] },
      ),
    },
    { required: ['error'] },
  ),
  AnthropicError: object(
    {
      type: constant('error'),
      error: object(
        { type: text("The kind of error, in Anthropic's words."), message },
        { required: ['type', 'message'] },
      ),
      request_id: text('The id of the request.'),
    },
    { required: ['type', 'error', 'request_id'] },
  ),
  GoogleError: object(
    {
      error: object(
        {
          code: count('The HTTP status.'),
          message,
          status: text("The kind of error, in Google's words."),
        },
        { required: ['code', 'message', 'status'] },
      ),
    },
    { required: ['error'] },
  ),
  AnyError: either(
    "In the shape of the API whose client asks: Anthropic's with `anthropic-version`, Google's with `x-goog-api-key` or `?key=`, else OpenAI's.",
    ref('OpenAIError'),
    ref('AnthropicError'),
    ref('GoogleError'),
  ),
} as const satisfies Record<string, Schema>

export const DIALECTS = {
  google: { forms: NATIVE_FORMS, render: googleError, error: 'GoogleError' },
  anthropic: { forms: MESSAGES_FORMS, render: anthropicError, error: 'AnthropicError' },
  openai: { forms: COMMON_FORMS, render: openaiError, error: 'OpenAIError' },
  any: { forms: NATIVE_FORMS, render: openaiError, error: 'AnyError' },
  images: { forms: COMMON_FORMS, render: renderImageError, error: 'Error' },
  plain: { forms: COMMON_FORMS, render: plainError, error: 'Error' },
  /** Nobody is asked for a key. */
  open: { forms: [], render: plainError, error: 'Error' },
} as const satisfies Record<string, Dialect>

export type DialectName = keyof typeof DIALECTS

/** How a key may be sent, by the names that the document gives. */
export const SECURITY_SCHEMES: Readonly<Record<CredentialForm, Schema>> = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A key, `tg_…`, as a bearer token.' },
  'x-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: "The same key, as Anthropic's clients send it.",
  },
  'x-goog-api-key': {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: "The same key, as Google's clients send it.",
  },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description:
      'The same key in the address. Headers are better: addresses are written down in many places.',
  },
}

/** The ways of one dialect, any of which will do. */
export const securityOf = (name: DialectName): Record<string, never[]>[] =>
  DIALECTS[name].forms.map((form) => ({ [form]: [] }))
