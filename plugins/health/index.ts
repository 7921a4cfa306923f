// The health of routes for other plugins: alerts, the Overview, metrics, and the pages of models and providers.
export {
  HealthState,
  HealthView,
  healthView,
  LastFailureView,
  lastFailureView,
  type VisibleHealth,
  visibleHealth,
} from './console-views.ts'
export { DAYS_KEPT, type ModelDay, modelDays } from './model-days.ts'
export { currentTroubles, routeHealth, testAnswered } from './open-health.ts'
export { HEALTH_STATES } from './route-health.ts'
export type { Trouble } from './troubles.ts'
