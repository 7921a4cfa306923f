// The health of routes for other plugins: alerts, the Overview, and the pages of models and providers.
export {
  FailingView,
  failingView,
  HealthState,
  HealthView,
  healthView,
  LastFailureView,
  lastFailureView,
  type VisibleHealth,
  visibleHealth,
} from './console-views.ts'
export { type FailingRoute, failingRoutes } from './failing-routes.ts'
export {
  type Counts,
  type Failing,
  type Health,
  type HealthNow,
  routeHealth,
  totalOf,
} from './route-health.ts'
