// Azure's addresses of OpenAI's endpoints, as its clients call them: read as the paths under /v1, with the deployment as the model.
import { decodePathPart } from './parameters.ts'

/**
 * `/openai/v1/…`, `/openai/…` and `/openai/deployments/{deployment}/…`. A deployment may have slashes: the Python SDK does not
 * encode them.
 */
const AZURE_PATH = /^([a-z]+:\/\/[^/]+)\/openai\/(?:v1\/)?([^?#]+)(\?[^#]*)?/
const AZURE_DEPLOYMENT =
  /^deployments\/(.+?)\/((?:chat\/)?completions|embeddings|moderations|responses|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))$/

const DEPLOYMENTS = new WeakMap<object, string>()

/**
 * Gives a request to one of Azure's addresses the address under /v1 that has the same endpoint. It stays the same object, by which
 * the server knows its socket.
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

/** Azure's date of its API says nothing here. */
function withoutVersion(query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.delete('api-version')
  return parameters.size === 0 ? '' : `?${parameters}`
}

/** The deployment that the address of a request named, which is its model whatever its body says; undefined for most. */
export const deploymentOf = (request: Request): string | undefined => DEPLOYMENTS.get(request)
