// The tools of a responses request: from the field `tools`, from input items, and in namespaces.
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'

/** A function or a custom tool, and its namespace; empty for none. */
interface Offered {
  readonly tool: JsonObject
  readonly namespace: string
}

/** Tools that the provider runs are left out: they are never called here. */
export const offeredTools = ({ tools, input }: JsonObject): Offered[] => [
  ...offeredIn(tools),
  ...listOf(input)
    .map(objectOf)
    .filter(({ type }) => type === 'additional_tools')
    .flatMap((item) => offeredIn(item.tools)),
]

const offeredIn = (tools: unknown, namespace = ''): Offered[] =>
  listOf(tools)
    .map(objectOf)
    .flatMap((tool) => {
      if (tool.type === 'namespace') return offeredIn(tool.tools, textOf(tool.name))
      return tool.type === 'function' || tool.type === 'custom' ? [{ tool, namespace }] : []
    })
