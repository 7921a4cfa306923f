// Azure's older addresses: a version in the query, and most endpoints below the deployment of a model.
import type { ServerCall } from './known-server.ts'

/** openai npm 7.57 src/azure.ts `_deployments_endpoints` */
const OF_A_DEPLOYMENT = /^\/(?:chat\/completions|completions|embeddings|audio\/\w+|images\/\w+)$/

/** An address that the operator wrote may name the deployment itself. */
export function azurePath(path: string, { provider, model }: ServerCall): string {
  const { api_version, base_url } = provider
  if (api_version === undefined) return path
  const deployment =
    OF_A_DEPLOYMENT.test(path) && !/\/deployments\//.test(base_url)
      ? `/deployments/${encodeURIComponent(model)}`
      : ''
  return `${deployment}${path}?api-version=${api_version}`
}
