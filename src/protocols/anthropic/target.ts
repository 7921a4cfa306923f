// Where a messages request goes at a provider, and how it shows its key.
import type { UpstreamTarget } from '../facts.ts'

/** The protocol's only version: https://platform.claude.com/docs/en/api/versioning. */
export const ANTHROPIC_VERSION = '2023-06-01'

const headersFor = (api_key: string): Record<string, string> => ({
  'anthropic-version': ANTHROPIC_VERSION,
  ...(api_key === '' ? {} : { 'x-api-key': api_key }),
})

/**
 * Path and headers of a call; `base_url` is without `/v1`, as in Anthropic's SDKs. The body names the model and says
 * whether to stream.
 */
export const target = ({ api_key, streams }: { api_key: string; streams: boolean }): UpstreamTarget => ({
  path: '/v1/messages',
  headers: headersFor(api_key),
  streams,
})

/** https://platform.claude.com/docs/en/api/models-list */
export const modelList = ({ api_key }: { api_key: string }): UpstreamTarget => ({
  path: '/v1/models',
  headers: headersFor(api_key),
})
