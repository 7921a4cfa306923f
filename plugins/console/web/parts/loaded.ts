// Components whose code is loaded at first use, without the delay of React's `lazy`.
import { type ComponentType, useEffect, useReducer } from 'react'

/** Imports the module of a component. Pass the same function each time: it identifies the module. */
type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

// biome-ignore lint/suspicious/noExplicitAny: components of different props; `Load` has the type of each
type Any = any

interface Loading {
  ended: Promise<void>
  component?: ComponentType<Any>
  failure?: { thrown: unknown }
}

const loadings = new WeakMap<Load<Any>, Loading>()

/** Starts to load a component that a page will need soon. Each is loaded once. */
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
 * Returns a component; undefined until its module is loaded. `Suspense` would show its fallback for at least 300 ms (React's
 * FALLBACK_THROTTLE_MS), even if the module is loaded sooner.
 *
 * @throws while rendering, for the next error boundary, if the module could not be loaded
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

/** Whether all of these modules are loaded or have failed. Wait for it to avoid that parts appear one by one and shift the page. */
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
