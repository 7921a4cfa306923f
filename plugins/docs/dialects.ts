// The dialects of the surfaces: how callers send their keys, and the shape and status of errors.
import {
  ALL_FORMS,
  COMMON_FORMS,
  type CredentialForm,
  MESSAGES_FORMS,
  NATIVE_FORMS,
} from '../../src/access/gate.ts'
import type { Tag } from '../../src/app/reference/operation.ts'
import { ref, type Schema } from '../../src/app/reference/schema.ts'
import type { RenderError } from '../../src/http/answers.ts'
import { renderImageError } from '../../src/http/image-error.ts'
import { ErrorBody, plainError } from '../../src/http/plain-error.ts'
import { AnthropicError, renderError as anthropicError } from '../../src/protocols/anthropic/errors.ts'
import { GoogleError, renderError as googleError } from '../../src/protocols/gemini/errors.ts'
import { OpenAIError, renderError as openaiError } from '../../src/protocols/openai/errors.ts'
import { published } from './converted.ts'

interface Dialect {
  readonly forms: readonly CredentialForm[]
  readonly render: RenderError
  /** The name of the schema of its errors. */
  readonly error: keyof typeof ERROR_SCHEMAS
}

export const ERROR_SCHEMAS = {
  Error: published(ErrorBody),
  OpenAIError: published(OpenAIError),
  AnthropicError: published(AnthropicError),
  GoogleError: published(GoogleError),
  AnyError: {
    description:
      "In the shape of the API whose client asks: Anthropic's with `anthropic-version`, Google's with `x-goog-api-key` or `?key=`, else OpenAI's.",
    anyOf: [ref('OpenAIError'), ref('AnthropicError'), ref('GoogleError')],
  },
} as const satisfies Record<string, Schema>

const IMAGES: Dialect = { forms: COMMON_FORMS, render: renderImageError, error: 'Error' }
const OPENAI: Dialect = { forms: COMMON_FORMS, render: openaiError, error: 'OpenAIError' }

/** The dialect of each group of operations. */
export const DIALECTS: Readonly<Record<Tag, Dialect>> = {
  'Gemini API': { forms: NATIVE_FORMS, render: googleError, error: 'GoogleError' },
  'Anthropic API': { forms: MESSAGES_FORMS, render: anthropicError, error: 'AnthropicError' },
  'OpenAI API': OPENAI,
  Images: IMAGES,
  Audio: OPENAI,
  'Moderations and rerank': OPENAI,
  Files: IMAGES,
  Models: { forms: ALL_FORMS, render: openaiError, error: 'AnyError' },
  Account: { forms: COMMON_FORMS, render: plainError, error: 'Error' },
  'Public pages': { forms: [], render: plainError, error: 'Error' },
  Health: { forms: [], render: plainError, error: 'Error' },
}

const keyIn = (place: string, name: string, description: string): Schema => ({
  type: 'apiKey',
  in: place,
  name,
  description,
})

export const SECURITY_SCHEMES: Readonly<Record<CredentialForm, Schema>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key, `tg_…` or an imported `sk-…` key, as a bearer token. An imported key may be sent without `Bearer` and without `sk-`.',
  },
  'x-api-key': keyIn('header', 'x-api-key', "The same key, as Anthropic's clients send it."),
  'api-key': keyIn('header', 'api-key', "The same key, as Azure's clients send it."),
  'x-goog-api-key': keyIn('header', 'x-goog-api-key', "The same key, as Google's clients send it."),
  'x-litellm-api-key': keyIn(
    'header',
    'x-litellm-api-key',
    "The same key, as LiteLLM's clients send it, with or without `Bearer`. It is read first.",
  ),
  query: keyIn(
    'query',
    'key',
    'The same key in the address. Headers are better: addresses are written down in many places.',
  ),
}

/** The alternative ways to send a key to the operations of a group. */
export const securityOf = (tag: Tag): Record<string, never[]>[] =>
  DIALECTS[tag].forms.map((form) => ({ [form]: [] }))
