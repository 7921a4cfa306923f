// The check-up at the console, for the operator alone.
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Doctor } from './check-up.ts'
import { DoctorReport } from './report.ts'

/** `POST /console/api/doctor`: by POST, since it sends each provider a request. It changes nothing. */
export function doctorRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people'>, doctor: Doctor) {
  return new Elysia({ name: 'console-doctor' })
    .use(operatorCalls(gateway))
    .post('/console/api/doctor', () => doctor.examine(), { response: { 200: DoctorReport, ...FAILURES } })
}
