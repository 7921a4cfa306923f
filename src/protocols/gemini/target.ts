// The upstream target of native requests, and advice on a provider's address.

import { redundantPathAdvice } from '../base-url.ts'
import type { UpstreamTarget } from '../facts.ts'

/**
 * The path and query of a call. The key goes into a header, because proxies log URLs.
 * Source: https://ai.google.dev/api/generate-content, "Method: models.generateContent" and
 * "models.streamGenerateContent".
 */
export function target(call: { model: string; streams: boolean }): UpstreamTarget {
  return methodTarget(call, call.streams ? 'streamGenerateContent?alt=sse' : 'generateContent')
}

/** As target, for any method of a model. */
export function methodTarget(call: { model: string }, method: string): UpstreamTarget {
  const model = call.model.split('/').map(encodeURIComponent).join('/')
  return { path: `/v1beta/models/${model}:${method}`, headers: {} }
}

/** https://ai.google.dev/api/models, "Method: models.list" */
export const MODEL_LIST: UpstreamTarget = { path: '/v1beta/models', headers: {} }

const VERSION = /\/v1(?:alpha|beta\d*)?(?:\/models(?:\/.*)?)?$/

/** https://ai.google.dev/gemini-api/docs/openai: Google's own address for the other protocol ends in `/openai`. */
export function baseUrlAdvice(base_url: URL): string | undefined {
  if (/\/openai\/*$/.test(base_url.pathname))
    return `is an address for protocol = "openai"; for "gemini" write "${base_url.origin}"`
  return redundantPathAdvice(base_url, VERSION)
}
