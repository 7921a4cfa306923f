// The number of uses of the provider's own tools in a message, from its usage or from its blocks.
import type { ExtrasCount } from '../extras.ts'
import { countIn, type JsonObject, lookUp, objectIn, objectsIn } from '../wire/json.ts'

/** The extra to count for a tool call, by the tool's name. */
const BY_TOOL: Readonly<Record<string, string>> = {
  web_search: 'web_search',
  web_fetch: 'web_fetch',
  code_execution: 'code_execution',
  bash_code_execution: 'code_execution',
  text_editor_code_execution: 'code_execution',
  advisor: 'advisor',
}
const COUNTED: ReadonlySet<string> = new Set([...Object.values(BY_TOOL), 'mcp_servers'])

/**
 * Counts tool uses. The usage is the provider's own count and comes last; until then, and for tools without a count in it, tool call
 * blocks are counted. A reported count that is not a number stands for at least one use.
 */
export class ServerToolCount implements ExtrasCount {
  readonly #seen = new Map<string, number>()
  readonly #reported = new Map<string, number>()

  read(answer: JsonObject): void {
    for (const block of objectsIn(answer.content)) this.#readBlock(block)
    this.#readBlock(objectIn(answer.content_block))
    // The usage of message_start is not the last one.
    const counts = objectIn(objectIn(answer.usage).server_tool_use)
    for (const [field, name] of REPORTED) {
      const count = counts[field] ?? undefined
      if (count !== undefined)
        this.#reported.set(name, countIn(count) ?? Math.max(1, this.#seen.get(name) ?? 0))
    }
  }

  units(name: string): number | undefined {
    if (!COUNTED.has(name)) return undefined
    return this.#reported.get(name) ?? this.#seen.get(name) ?? 0
  }

  #readBlock({ type, name }: JsonObject): void {
    const extra =
      type === 'mcp_tool_use' ? 'mcp_servers' : type === 'server_tool_use' ? lookUp(BY_TOOL, name) : undefined
    if (extra !== undefined) this.#seen.set(extra, (this.#seen.get(extra) ?? 0) + 1)
  }
}

const REPORTED = [
  ['web_search_requests', 'web_search'],
  ['web_fetch_requests', 'web_fetch'],
] as const
