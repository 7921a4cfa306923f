// The registry of protocols: the one list from which everything else about protocols derives.
import { internal } from '../domain/errors.ts'
import { anthropic } from './anthropic/index.ts'
import type { RoutedCall } from './facts.ts'
import { gemini } from './gemini/index.ts'
import { completions } from './openai/completions.ts'
import { openai } from './openai/index.ts'
import { responses } from './openai/responses/index.ts'
import type { CallerProtocol, Protocol } from './protocol.ts'

/** To add a protocol, create a folder beside the others and add its name here. */
export const BUILT_IN_PROTOCOLS = { gemini, anthropic, openai } as const satisfies Readonly<
  Record<string, Protocol>
>

export type BuiltInProtocol = keyof typeof BUILT_IN_PROTOCOLS

/** Protocols by name. */
export type Registry = ReadonlyMap<string, Protocol>

export const registryOf = (protocols: readonly Protocol[]): Registry =>
  new Map(protocols.map((protocol) => [protocol.name, protocol]))

export const BUILT_IN_REGISTRY: Registry = registryOf([...Object.values(BUILT_IN_PROTOCOLS), responses])

/** @throws GatewayError internal for an unregistered name; the catalogue refuses providers with one */
export function protocolNamed(registry: Registry, name: string): Protocol {
  const found = registry.get(name)
  if (found) return found
  throw internal(
    'This model cannot be called. It has been logged; please tell the operator of this gateway.',
    { cause: `no protocol is named "${name}"` },
  )
}

/** The protocol of a provider. @throws GatewayError as `protocolNamed` */
export const protocolOf = (registry: Registry, { protocol }: { protocol: string }): Protocol =>
  protocolNamed(registry, protocol)

/** Protocols that callers speak and no provider does. */
const CALLERS_ONLY: ReadonlyMap<string, CallerProtocol> = new Map([[completions.name, completions]])

/** The protocol of a caller. @throws GatewayError as `protocolNamed` */
export const callerProtocolOf = (registry: Registry, name: string): CallerProtocol =>
  CALLERS_ONLY.get(name) ?? protocolNamed(registry, name)

/** The protocol of a call's upstream request. @throws GatewayError as `protocolNamed` */
export function upstreamProtocol(registry: Registry, call: RoutedCall): Protocol {
  const own = protocolOf(registry, call.provider)
  return own.upstreamProtocolName ? protocolNamed(registry, own.upstreamProtocolName(call)) : own
}
