-- Tables of LiteLLM 1.72.6 that an import reads, by its litellm/proxy/schema.prisma (https://pypi.org/project/litellm/1.72.6/): names and types.

CREATE TABLE "LiteLLM_BudgetTable" (
  "budget_id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "max_budget" DOUBLE PRECISION,
  "soft_budget" DOUBLE PRECISION,
  "max_parallel_requests" INTEGER,
  "tpm_limit" BIGINT,
  "rpm_limit" BIGINT,
  "model_max_budget" JSONB,
  "budget_duration" TEXT,
  "budget_reset_at" TIMESTAMP(3),
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT NOT NULL DEFAULT 'admin',
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_by" TEXT NOT NULL DEFAULT 'admin'
);

CREATE TABLE "LiteLLM_CredentialsTable" (
  "credential_id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "credential_name" TEXT NOT NULL,
  "credential_values" JSONB NOT NULL,
  "credential_info" JSONB,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT NOT NULL DEFAULT 'admin',
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_by" TEXT NOT NULL DEFAULT 'admin'
);

CREATE TABLE "LiteLLM_ProxyModelTable" (
  "model_id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "model_name" TEXT NOT NULL,
  "litellm_params" JSONB NOT NULL,
  "model_info" JSONB,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT NOT NULL DEFAULT 'admin',
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_by" TEXT NOT NULL DEFAULT 'admin'
);

CREATE TABLE "LiteLLM_OrganizationTable" (
  "organization_id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "organization_alias" TEXT NOT NULL,
  "budget_id" TEXT NOT NULL,
  "metadata" JSONB NOT NULL DEFAULT '{}',
  "models" TEXT[],
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "model_spend" JSONB NOT NULL DEFAULT '{}',
  "object_permission_id" TEXT,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT NOT NULL DEFAULT 'admin',
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_by" TEXT NOT NULL DEFAULT 'admin'
);

CREATE TABLE "LiteLLM_ModelTable" (
  "id" SERIAL PRIMARY KEY,
  "aliases" JSONB,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT NOT NULL DEFAULT 'admin',
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_by" TEXT NOT NULL DEFAULT 'admin'
);

CREATE TABLE "LiteLLM_TeamTable" (
  "team_id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "team_alias" TEXT,
  "organization_id" TEXT,
  "object_permission_id" TEXT,
  "admins" TEXT[],
  "members" TEXT[],
  "members_with_roles" JSONB NOT NULL DEFAULT '{}',
  "metadata" JSONB NOT NULL DEFAULT '{}',
  "max_budget" DOUBLE PRECISION,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "models" TEXT[],
  "max_parallel_requests" INTEGER,
  "tpm_limit" BIGINT,
  "rpm_limit" BIGINT,
  "budget_duration" TEXT,
  "budget_reset_at" TIMESTAMP(3),
  "blocked" BOOLEAN NOT NULL DEFAULT false,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "model_spend" JSONB NOT NULL DEFAULT '{}',
  "model_max_budget" JSONB NOT NULL DEFAULT '{}',
  "team_member_permissions" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "model_id" INTEGER
);

CREATE TABLE "LiteLLM_UserTable" (
  "user_id" TEXT NOT NULL PRIMARY KEY,
  "user_alias" TEXT,
  "team_id" TEXT,
  "sso_user_id" TEXT,
  "organization_id" TEXT,
  "object_permission_id" TEXT,
  "password" TEXT,
  "teams" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "user_role" TEXT,
  "max_budget" DOUBLE PRECISION,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "user_email" TEXT,
  "models" TEXT[],
  "metadata" JSONB NOT NULL DEFAULT '{}',
  "max_parallel_requests" INTEGER,
  "tpm_limit" BIGINT,
  "rpm_limit" BIGINT,
  "budget_duration" TEXT,
  "budget_reset_at" TIMESTAMP(3),
  "allowed_cache_controls" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "model_spend" JSONB NOT NULL DEFAULT '{}',
  "model_max_budget" JSONB NOT NULL DEFAULT '{}',
  "created_at" TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE "LiteLLM_VerificationToken" (
  "token" TEXT NOT NULL PRIMARY KEY,
  "key_name" TEXT,
  "key_alias" TEXT,
  "soft_budget_cooldown" BOOLEAN NOT NULL DEFAULT false,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "expires" TIMESTAMP(3),
  "models" TEXT[],
  "aliases" JSONB NOT NULL DEFAULT '{}',
  "config" JSONB NOT NULL DEFAULT '{}',
  "user_id" TEXT,
  "team_id" TEXT,
  "permissions" JSONB NOT NULL DEFAULT '{}',
  "max_parallel_requests" INTEGER,
  "metadata" JSONB NOT NULL DEFAULT '{}',
  "blocked" BOOLEAN,
  "tpm_limit" BIGINT,
  "rpm_limit" BIGINT,
  "max_budget" DOUBLE PRECISION,
  "budget_duration" TEXT,
  "budget_reset_at" TIMESTAMP(3),
  "allowed_cache_controls" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "allowed_routes" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "model_spend" JSONB NOT NULL DEFAULT '{}',
  "model_max_budget" JSONB NOT NULL DEFAULT '{}',
  "budget_id" TEXT,
  "organization_id" TEXT,
  "object_permission_id" TEXT,
  "created_at" TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT,
  "updated_at" TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP,
  "updated_by" TEXT
);

CREATE TABLE "LiteLLM_EndUserTable" (
  "user_id" TEXT NOT NULL PRIMARY KEY,
  "alias" TEXT,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "allowed_model_region" TEXT,
  "default_model" TEXT,
  "budget_id" TEXT,
  "blocked" BOOLEAN NOT NULL DEFAULT false
);

CREATE TABLE "LiteLLM_Config" (
  "param_name" TEXT NOT NULL PRIMARY KEY,
  "param_value" JSONB
);

CREATE TABLE "LiteLLM_SpendLogs" (
  "request_id" TEXT NOT NULL PRIMARY KEY,
  "call_type" TEXT NOT NULL,
  "api_key" TEXT NOT NULL DEFAULT '',
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "total_tokens" INTEGER NOT NULL DEFAULT 0,
  "prompt_tokens" INTEGER NOT NULL DEFAULT 0,
  "completion_tokens" INTEGER NOT NULL DEFAULT 0,
  "startTime" TIMESTAMP(3) NOT NULL,
  "endTime" TIMESTAMP(3) NOT NULL,
  "completionStartTime" TIMESTAMP(3),
  "model" TEXT NOT NULL DEFAULT '',
  "model_id" TEXT DEFAULT '',
  "model_group" TEXT DEFAULT '',
  "custom_llm_provider" TEXT DEFAULT '',
  "api_base" TEXT DEFAULT '',
  "user" TEXT DEFAULT '',
  "metadata" JSONB DEFAULT '{}',
  "cache_hit" TEXT DEFAULT '',
  "cache_key" TEXT DEFAULT '',
  "request_tags" JSONB DEFAULT '[]',
  "team_id" TEXT,
  "end_user" TEXT,
  "requester_ip_address" TEXT,
  "messages" JSONB DEFAULT '{}',
  "response" JSONB DEFAULT '{}',
  "session_id" TEXT,
  "status" TEXT,
  "proxy_server_request" JSONB DEFAULT '{}'
);

CREATE INDEX ON "LiteLLM_SpendLogs" ("startTime");

CREATE TABLE "LiteLLM_TeamMembership" (
  "user_id" TEXT NOT NULL,
  "team_id" TEXT NOT NULL,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "budget_id" TEXT,
  PRIMARY KEY ("user_id", "team_id")
);

CREATE TABLE "LiteLLM_DailyUserSpend" (
  "id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "user_id" TEXT,
  "date" TEXT NOT NULL,
  "api_key" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "model_group" TEXT,
  "custom_llm_provider" TEXT,
  "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
  "completion_tokens" BIGINT NOT NULL DEFAULT 0,
  "cache_read_input_tokens" BIGINT NOT NULL DEFAULT 0,
  "cache_creation_input_tokens" BIGINT NOT NULL DEFAULT 0,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "api_requests" BIGINT NOT NULL DEFAULT 0,
  "successful_requests" BIGINT NOT NULL DEFAULT 0,
  "failed_requests" BIGINT NOT NULL DEFAULT 0,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE "LiteLLM_DailyTeamSpend" (
  "id" TEXT NOT NULL DEFAULT gen_random_uuid()::text PRIMARY KEY,
  "team_id" TEXT,
  "date" TEXT NOT NULL,
  "api_key" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "model_group" TEXT,
  "custom_llm_provider" TEXT,
  "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
  "completion_tokens" BIGINT NOT NULL DEFAULT 0,
  "cache_read_input_tokens" BIGINT NOT NULL DEFAULT 0,
  "cache_creation_input_tokens" BIGINT NOT NULL DEFAULT 0,
  "spend" DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  "api_requests" BIGINT NOT NULL DEFAULT 0,
  "successful_requests" BIGINT NOT NULL DEFAULT 0,
  "failed_requests" BIGINT NOT NULL DEFAULT 0,
  "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
