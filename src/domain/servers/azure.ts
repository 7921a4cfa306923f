// Azure's older URLs: an API version in the query, and most endpoints below a model's deployment.
import type { ServerCall } from './known-server.ts'

/** openai npm 7.57 src/azure.ts `_deployments_endpoints` */
const DEPLOYMENT_ENDPOINTS = /^\/(?:chat\/completions|completions|embeddings|audio\/\w+|images\/\w+)$/

/** Adds the deployment, unless the operator's base_url already names it, and the API version. */
export function azurePath(path: string, { provider, model }: ServerCall): string {
  const { api_version, base_url } = provider
  if (api_version === undefined) return path
  const deployment =
    DEPLOYMENT_ENDPOINTS.test(path) && !/\/deployments\//.test(base_url)
      ? `/deployments/${encodeURIComponent(model)}`
      : ''
  return `${deployment}${path}?api-version=${api_version}`
}
