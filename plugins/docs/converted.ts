// The routes of the application as @elysiajs/openapi converts them: one at a time, so that calls have their turn in between.
import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia } from 'elysia'
import { endOfTurn } from '../../src/domain/end-of-turn.ts'
import type { Answer, Content, Parameter } from './operation.ts'

/** An operation by its route's schemas. */
export interface Converted {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses?: Readonly<Record<string, Answer>>
}

export interface ConvertedRoute {
  /** In lower case, as OpenAPI writes it. */
  readonly method: string
  readonly path: string
  readonly converted: Converted
}

interface Route {
  readonly method: string
  readonly path: string
}

/** What the converter asks of an application. Elysia's types hide it from everybody else. */
interface Routed {
  getGlobalRoutes(): readonly Route[]
  getGlobalDefinitions(): unknown
}

/** @param app any instance of the application: each knows the routes of the whole */
const routedBy = (app: AnyElysia): Routed => app as unknown as Routed

/** The name of a route: its method, and its path with parameters as OpenAPI writes them. */
const nameOf = ({ method, path }: Route): string => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`

/** The routes by their names. */
export const routesOf = (app: AnyElysia): Map<string, Route> =>
  new Map(
    routedBy(app)
      .getGlobalRoutes()
      .map((route) => [nameOf(route), route]),
  )

/** One route: an operation for each of its methods, of which most have one, and none where it is hidden. */
export async function convert(app: AnyElysia, route: Route): Promise<ConvertedRoute[]> {
  await endOfTurn()
  const alone: Routed = {
    getGlobalRoutes: () => [route],
    getGlobalDefinitions: () => routedBy(app).getGlobalDefinitions(),
  }
  // Without an exclusion of ours, the converter takes any path with a dot for a file.
  const { paths } = toOpenAPISchema(alone as unknown as AnyElysia, { staticFile: false })
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, converted]) => ({
      method,
      path,
      converted: converted as Converted,
    })),
  )
}
