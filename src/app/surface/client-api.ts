// Detection of the API that a caller uses, by its client's headers, at paths that several providers' APIs share.
import { Type } from '@sinclair/typebox'
import { ALL_FORMS } from '../../access/gate.ts'
import { AnthropicError } from '../../protocols/anthropic/errors.ts'
import { anthropic } from '../../protocols/anthropic/index.ts'
import { GoogleError } from '../../protocols/gemini/errors.ts'
import { gemini } from '../../protocols/gemini/index.ts'
import { OpenAIError } from '../../protocols/openai/errors.ts'
import { openai } from '../../protocols/openai/index.ts'
import type { Surface } from './origin.ts'

/** An error in the format of the caller's API. */
export const AnyError = Type.Union([OpenAIError, AnthropicError, GoogleError], {
  title: 'AnyError',
})

export type ClientApi = 'anthropic' | 'google' | 'openai'

/** Headers that only the clients of one API send. */
const ANTHROPIC_HEADERS = ['anthropic-version', 'vendor-version', 'anthropic-beta'] as const
const GOOGLE_HEADERS = ['x-goog-api-key', 'x-goog-api-client'] as const

/** Returns the API of the client that sent a request; undefined if its headers do not show it. */
export function clientApiOf({ headers, url }: Request): ClientApi | undefined {
  if (ANTHROPIC_HEADERS.some((name) => headers.has(name))) return 'anthropic'
  if (GOOGLE_HEADERS.some((name) => headers.has(name)) || /[?&]key=/.test(url)) return 'google'
  return undefined
}

/** Returns a surface that accepts keys in the headers of every API, and renders errors in the format of one. */
export function surfaceFor(surface: string, api: ClientApi): Surface {
  const common = { surface, forms: ALL_FORMS }
  if (api === 'anthropic') return { ...common, render: anthropic.renderError, id_header: 'request-id' }
  return { ...common, render: api === 'google' ? gemini.renderError : openai.renderError }
}
