// Components whose code is loaded at their first use, without the wait that React's `lazy` brings.
import { type ComponentType, useEffect, useReducer } from 'react'

/** Loads a module made for one component. The same function each time: the module is known by it. */
type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

// biome-ignore lint/suspicious/noExplicitAny: of all kinds, each known by its own `Load`
type Any = any

interface Loading {
  ended: Promise<void>
  component?: ComponentType<Any>
  failure?: { thrown: unknown }
}

const loadings = new WeakMap<Load<Any>, Loading>()

/** Begins to load a component that a page will need soon, once. */
export function loadAhead(load: Load<Any>): Loading {
  const known = loadings.get(load)
  if (known) return known
  const loading: Loading = {
    ended: load().then(
      (module) => {
        loading.component = module.default
      },
      (thrown: unknown) => {
        loading.failure = { thrown }
      },
    ),
  }
  loadings.set(load, loading)
  return loading
}

/**
 * A component as soon as its module is there, and at once where another has loaded it; undefined until then. `Suspense` would
 * keep what it shows meanwhile for at least 300 ms (React's FALLBACK_THROTTLE_MS), however soon the module comes.
 *
 * @throws in drawing, for the next error boundary, what the loading failed by
 */
export function useLoaded<Props>(load: Load<Props>): ComponentType<Props> | undefined {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0)
  const { component, failure } = loadings.get(load) ?? {}
  const is_missing = component === undefined
  useEffect(() => {
    if (!is_missing) return
    let is_shown = true
    void loadAhead(load).ended.then(() => {
      if (is_shown) drawAgain()
    })
    return () => {
      is_shown = false
    }
  }, [is_missing, load])
  if (failure) throw failure.thrown
  return component
}

/** Whether the modules of all of these are there, or have failed: what comes one by one would push the page about. */
export function useAllLoaded(loads: readonly Load<Any>[]): boolean {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0)
  const is_missing = !loads.every(isLoaded)
  useEffect(() => {
    if (!is_missing) return
    let is_shown = true
    void Promise.all(loads.map((load) => loadAhead(load).ended)).then(() => {
      if (is_shown) drawAgain()
    })
    return () => {
      is_shown = false
    }
  }, [is_missing, loads])
  return !is_missing
}

function isLoaded(load: Load<Any>): boolean {
  const { component, failure } = loadings.get(load) ?? {}
  return component !== undefined || failure !== undefined
}
