// Paths of Azure's clients for OpenAI's endpoints, mapped to paths under /v1, with the deployment as the model.
import { decodePathPart } from './parameters.ts'

/**
 * `/openai/v1/…`, `/openai/…` and `/openai/deployments/{deployment}/…`. A deployment may contain slashes, which the Python SDK does
 * not encode.
 */
const AZURE_PATH = /^([a-z]+:\/\/[^/]+)\/openai\/(?:v1\/)?([^?#]+)(\?[^#]*)?/
const AZURE_DEPLOYMENT =
  /^deployments\/(.+?)\/((?:chat\/)?completions|embeddings|moderations|responses|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))$/

const DEPLOYMENTS = new WeakMap<object, string>()

/**
 * Replaces an Azure URL of a request by the URL under /v1 with the same endpoint. The object stays the same, since the server finds
 * its socket by it.
 */
export function readAzurePath(request: Request): void {
  const { url } = request
  if (!url.includes('/openai/')) return
  const [, origin, path = '', query = ''] = AZURE_PATH.exec(url) ?? []
  if (origin === undefined) return
  const [, deployment, endpoint] = AZURE_DEPLOYMENT.exec(path) ?? []
  if (deployment !== undefined) DEPLOYMENTS.set(request, decodePathPart(deployment))
  const value = `${origin}/v1/${endpoint ?? path}${withoutVersion(query)}`
  Object.defineProperty(request, 'url', { value })
}

/** Removes Azure's api-version, which has no meaning here. */
function withoutVersion(query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('api-version')
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** Returns the deployment in the original URL of a request, which overrides the model in its body; undefined for other requests. */
export const deploymentOf = (request: Request): string | undefined => DEPLOYMENTS.get(request)
