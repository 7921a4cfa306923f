// One plain question on each surface, and the place of each surface's errors, for tests that look at the bytes.

import { expect } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'

export interface SurfaceRequest {
  path: string
  headers: Record<string, string>
  body: JsonObject
}

const QUESTION = 'Why are there tides?'

/** The question as a request. @param more further fields of the body */
export const REQUESTS: Readonly<
  Record<BuiltInProtocol, (model: string, streams: boolean, more?: JsonObject) => SurfaceRequest>
> = {
  gemini: (model, streams, more = {}) => ({
    path: `/v1beta/models/${model}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: {},
    body: {
      contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
      ...more,
      generationConfig: { maxOutputTokens: 1_000, ...(more.generationConfig as JsonObject | undefined) },
    },
  }),
  anthropic: (model, stream, more = {}) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model, stream, max_tokens: 1_000, messages: [{ role: 'user', content: QUESTION }], ...more },
  }),
  openai: (model, stream, more = {}) => ({
    path: '/v1/chat/completions',
    headers: {},
    body: {
      model,
      stream,
      max_completion_tokens: 1_000,
      messages: [{ role: 'user', content: QUESTION }],
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      ...more,
    },
  }),
}

/** The error in a body: its message and type, and the field at fault where the surface has a place for it. */
export const ERROR_OF: Readonly<
  Record<BuiltInProtocol, (body: JsonObject) => { message: unknown; param?: unknown; type: unknown }>
> = {
  gemini: ({ error }) => {
    const { message = null, status = null } = error as JsonObject
    return { message, type: status }
  },
  anthropic: ({ error }) => {
    const { message = null, type = null } = error as JsonObject
    return { message, type }
  },
  openai: ({ error }) => {
    const { message = null, type = null, param = null } = error as JsonObject
    return { message, type, param }
  },
}

/** Each surface's error type for a fault of the request, and for a failure of the provider. */
export const ERROR_TYPES: Readonly<Record<BuiltInProtocol, { invalid: string; upstream: string }>> = {
  gemini: { invalid: 'INVALID_ARGUMENT', upstream: 'UNAVAILABLE' },
  anthropic: { invalid: 'invalid_request_error', upstream: 'api_error' },
  openai: { invalid: 'invalid_request_error', upstream: 'server_error' },
}

/** Expects 400 that names a field, in its message and where the surface has a place for it. */
export async function expectFieldRefused(
  surface: BuiltInProtocol,
  response: Response,
  field: string,
): Promise<void> {
  const { message, type, param = field } = ERROR_OF[surface]((await response.json()) as JsonObject)
  expect({ status: response.status, type, param }).toEqual({
    status: 400,
    type: ERROR_TYPES[surface].invalid,
    param: field,
  })
  expect(message).toContain(field)
}
