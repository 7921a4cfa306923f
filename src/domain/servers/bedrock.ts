// Bedrock's regional URLs, whose domain depends on the partition of the region.
import type { ServerFields } from './known-server.ts'

/** openai npm 7.57 src/internal/bedrock.ts `resolveRuntimeDnsSuffixes` */
const SUFFIXES: readonly (readonly [region: RegExp, suffix: string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
]

export function bedrockUrl({ region = '' }: ServerFields, path: string): string {
  const suffix = SUFFIXES.find(([regions]) => regions.test(region))?.[1] ?? 'amazonaws.com'
  return `https://bedrock-runtime.${region}.${suffix}${path}`
}
