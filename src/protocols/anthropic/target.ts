// Where a messages request goes at a provider.
import type { UpstreamTarget } from '../facts.ts'

/** The protocol's only version: https://platform.claude.com/docs/en/api/versioning. */
export const ANTHROPIC_VERSION = '2023-06-01'

const HEADERS = { 'anthropic-version': ANTHROPIC_VERSION }

/**
 * Path and headers of a call; `base_url` is without `/v1`, as in Anthropic's SDKs. The body names the model and says
 * whether to stream.
 */
export const target = ({ streams }: { streams: boolean }): UpstreamTarget => ({
  path: '/v1/messages',
  headers: HEADERS,
  streams,
})

/** https://platform.claude.com/docs/en/api/models-list */
export const MODEL_LIST: UpstreamTarget = { path: '/v1/models', headers: HEADERS }
