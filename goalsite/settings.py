"""Every setting of Goalsite, read once and strictly from the environment (DESIGN section 10)."""

from pathlib import Path

from django.templatetags.static import static

from goalsite import environment as env
from goalsite import logs

BASE_DIR = Path(__file__).resolve().parent.parent
GOALSITE_DATA_DIR = env.path("GOALSITE_DATA_DIR", default=BASE_DIR / "data")

DEBUG = env.boolean("DJANGO_DEBUG", default=False)
SECRET_KEY = env.secret_key("DJANGO_SECRET_KEY", data_dir=GOALSITE_DATA_DIR)
SECRET_KEY_FALLBACKS = env.secret_keys("DJANGO_SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.words("DJANGO_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.words("DJANGO_CSRF_TRUSTED_ORIGINS", default=[])

# People come over TLS, which a proxy ends. The server believes its word on that when FORWARDED_ALLOW_IPS names it.
GOALSITE_TLS = env.boolean("GOALSITE_TLS", default=False)
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = GOALSITE_TLS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = env.integer("GOALSITE_HSTS_SECONDS", default=0, minimum=0, maximum=94_608_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.boolean("GOALSITE_HSTS_SUBDOMAINS", default=False)

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "channels",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_q",
    "artifacts",
    "sops",
    "goals",
    "goalsite",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "goalsite.nul.RefuseNul",
    "csp.middleware.CSPMiddleware",
    "goalsite.static_files.WholeFiles",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "goals.api.rates.RateHeaders",
]

# For the admin and the API's pages; the chat page sets a stricter one of its own. The admin's theme evaluates
# expressions and sets styles.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'", "'unsafe-eval'"],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

ROOT_URLCONF = "goalsite.urls"
ASGI_APPLICATION = "goalsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

GOALSITE_CONNECTIONS = env.integer("GOALSITE_CONNECTIONS", default=10, minimum=2, maximum=1000)
DATABASES = {"default": env.database("DATABASE_URL", data_dir=GOALSITE_DATA_DIR, connections=GOALSITE_CONNECTIONS)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.url("REDIS_URL", default="", schemes=("redis", "rediss", "unix"))
CHANNEL_LAYERS = {
    "default": (
        {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
        if REDIS_URL
        else {"BACKEND": "goalsite.live.NotifyChannelLayer"}
    )
}

GOALSITE_MODEL_TIMEOUT = env.integer("GOALSITE_MODEL_TIMEOUT", default=120, minimum=1, maximum=3600)
GOALSITE_SLICE_SECONDS = env.integer("GOALSITE_SLICE_SECONDS", default=20, minimum=1, maximum=3600)
# A task begins no call after its slice, and awaits the one in hand: a model's, or a tool's or verifier's of 120 s.
LONGEST_TASK = GOALSITE_SLICE_SECONDS + max(GOALSITE_MODEL_TIMEOUT, 120) + 60
Q_CLUSTER = {
    "name": "goalsite",
    "workers": env.integer("GOALSITE_WORKERS", default=2, minimum=1, maximum=64),
    "timeout": LONGEST_TASK,
    "retry": LONGEST_TASK + 30,
    "queue_limit": 1,
    "max_attempts": 1,
    "ack_failures": True,
    "save_limit": 0,
    "recycle": 500,
    "catch_up": False,
    "label": "Queue",
    **({"redis": REDIS_URL} if REDIS_URL else {"orm": "default", "broker_class": "goalsite.broker.PostgresBroker"}),
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "chat"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = GOALSITE_DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": GOALSITE_DATA_DIR}},
    "staticfiles": {"BACKEND": "goalsite.static_files.HashedFiles"},
}
WHITENOISE_USE_FINDERS = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "goals.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "goals.api.authentication.WithinScopes",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["goals.api.rates.RateLimit"],
    "DEFAULT_PAGINATION_CLASS": "goals.api.pages.Pages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "goals.api.problems.problem_response",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Goalsite",
    "DESCRIPTION": "Give it a goal and walk away.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "goals.api.schema.tell_bodies",
        "goals.api.schema.tell_refusals",
        "goals.api.examples.tell_examples",
    ],
    "ENUM_NAME_OVERRIDES": {
        "GoalModeEnum": "goals.states.Mode",
        "GoalStatusEnum": "goals.states.GoalStatus",
        "CheckpointStatusEnum": "goals.states.CheckpointStatus",
        "QuestionStatusEnum": "goals.states.QuestionStatus",
        "DeliveryStatusEnum": "goals.models.delivery.DeliveryStatus",
        "EffectStatusEnum": "goals.states.EffectStatus",
        "SopStatusEnum": "sops.models.SopStatus",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
# The page's green, from light to dark: lightness and chroma at one hue.
GREEN = {50: (97.5, 0.015), 100: (94, 0.03), 200: (88, 0.06), 300: (80, 0.09), 400: (74, 0.11), 500: (60, 0.11)}
GREEN |= {600: (47.5, 0.092), 700: (41, 0.08), 800: (36, 0.07), 900: (31, 0.055), 950: (23, 0.04)}
UNFOLD = {
    "COLORS": {"primary": {str(step): f"oklch({light}% {chroma} 160)" for step, (light, chroma) in GREEN.items()}},
    "SITE_TITLE": "Goalsite",
    "SITE_HEADER": "Goalsite",
    "SITE_SYMBOL": "flag",
    "STYLES": [lambda request: static("goals/console.css")],
    "DASHBOARD_CALLBACK": "goals.admin.dashboard.page.context",
    "SIDEBAR": {"navigation": "goals.admin.sidebar.navigation"},
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("goals/icon.svg")}],
}

# The model endpoint. Unset: the site starts its own rehearsal model and points here at it.
OPENAI_BASE_URL = env.url("OPENAI_BASE_URL", default="", schemes=("http", "https"))
OPENAI_API_KEY = env.text("OPENAI_API_KEY", default="")
GOALSITE_REHEARSAL = not OPENAI_BASE_URL and not OPENAI_API_KEY
GOALSITE_REHEARSAL_PORT = env.integer("GOALSITE_REHEARSAL_PORT", default=8377, minimum=1, maximum=65535)
GOALSITE_MODEL = env.text("GOALSITE_MODEL", default="rehearsal" if GOALSITE_REHEARSAL else "gpt-4.1-mini")
GOALSITE_MODELS = {
    role: env.text(f"GOALSITE_MODEL_{role.upper()}", default=GOALSITE_MODEL)
    for role in ("planner", "worker", "judge", "summariser")
}
GOALSITE_MODEL_MAX_OUTPUT_TOKENS = env.integer(
    "GOALSITE_MODEL_MAX_OUTPUT_TOKENS", default=4096, minimum=64, maximum=1_000_000
)
# Tokens that a model takes in one call, its reply included; 0: as the price table says.
GOALSITE_CONTEXT_TOKENS = env.integer("GOALSITE_CONTEXT_TOKENS", default=0, minimum=0, maximum=100_000_000)
if 0 < GOALSITE_CONTEXT_TOKENS <= GOALSITE_MODEL_MAX_OUTPUT_TOKENS:
    raise env.refuse(
        "GOALSITE_CONTEXT_TOKENS", GOALSITE_CONTEXT_TOKENS, "use more than GOALSITE_MODEL_MAX_OUTPUT_TOKENS"
    )
# "input/output" USD per million tokens, stated by the operator for a model that the price table does not know.
GOALSITE_MODEL_PRICE = env.price("GOALSITE_MODEL_PRICE")
GOALSITE_EMBEDDING_MODEL = env.text("GOALSITE_EMBEDDING_MODEL", default="")
GOALSITE_STRUCTURED_OUTPUT = env.choice(
    "GOALSITE_STRUCTURED_OUTPUT", default="json_schema", choices=("json_schema", "json_object", "prompt")
)
GOALSITE_READ_ROOTS = env.paths("GOALSITE_READ_ROOTS", default=[])

# Hosts and networks that are asked although they are not public: for webhooks and whatever else goes through the door.
GOALSITE_DOOR_ALLOW = env.hosts_and_networks("GOALSITE_DOOR_ALLOW")
GOALSITE_MCP_SECRETS = env.secrets_beginning("GOALSITE_MCP_")
GOALSITE_WEBHOOK_SECONDS = env.integer("GOALSITE_WEBHOOK_SECONDS", default=10, minimum=1, maximum=60)
GOALSITE_WEBHOOK_ATTEMPTS = env.integer("GOALSITE_WEBHOOK_ATTEMPTS", default=10, minimum=1, maximum=100)
GOALSITE_WEBHOOK_RETRY_SECONDS = env.integer("GOALSITE_WEBHOOK_RETRY_SECONDS", default=5, minimum=1, maximum=3600)
GOALSITE_WEBHOOK_DISABLE_AFTER = env.integer(
    "GOALSITE_WEBHOOK_DISABLE_AFTER", default=259_200, minimum=60, maximum=31_536_000
)

# The goal defaults of DESIGN section 5.
GOALSITE_MAX_CHECKPOINTS = env.integer("GOALSITE_MAX_CHECKPOINTS", default=20, minimum=1, maximum=200)
GOALSITE_MAX_CHECKPOINT_ATTEMPTS = env.integer("GOALSITE_MAX_CHECKPOINT_ATTEMPTS", default=3, minimum=1, maximum=20)
GOALSITE_MAX_ITERATIONS = env.integer("GOALSITE_MAX_ITERATIONS", default=8, minimum=1, maximum=100)
GOALSITE_MAX_REVISIONS = env.integer("GOALSITE_MAX_REVISIONS", default=5, minimum=0, maximum=100)
GOALSITE_MAX_DEPTH = env.integer("GOALSITE_MAX_DEPTH", default=3, minimum=1, maximum=10)
GOALSITE_MAX_NESTING = env.integer("GOALSITE_MAX_NESTING", default=2, minimum=0, maximum=10)
GOALSITE_MAX_PARALLEL = env.integer("GOALSITE_MAX_PARALLEL", default=5, minimum=1, maximum=64)
GOALSITE_MAX_RETRIES = env.integer("GOALSITE_MAX_RETRIES", default=2, minimum=0, maximum=20)
GOALSITE_MAX_REPLANS = env.integer("GOALSITE_MAX_REPLANS", default=1, minimum=0, maximum=20)
GOALSITE_MAX_TURNS = env.integer("GOALSITE_MAX_TURNS", default=25, minimum=1, maximum=500)
GOALSITE_MAX_NO_PROGRESS = env.integer("GOALSITE_MAX_NO_PROGRESS", default=3, minimum=1, maximum=100)
GOALSITE_MAX_MODEL_CALLS = env.integer("GOALSITE_MAX_MODEL_CALLS", default=200, minimum=1, maximum=10_000_000)
GOALSITE_MAX_COST_USD = env.decimal("GOALSITE_MAX_COST_USD", default="5.00", minimum="0.000001")
GOALSITE_MAX_SECONDS = env.integer("GOALSITE_MAX_SECONDS", default=7200, minimum=1, maximum=31_536_000)
GOALSITE_MAX_CHECKPOINT_SECONDS = env.integer("GOALSITE_MAX_CHECKPOINT_SECONDS", default=600, minimum=1, maximum=86_400)
GOALSITE_EVALUATE_EVERY = env.integer("GOALSITE_EVALUATE_EVERY", default=2, minimum=1, maximum=1000)
# Score (0 to 1) per USD below which two evaluations in a row pause a goal; 0 is no floor.
GOALSITE_MIN_PROGRESS_PER_USD = env.decimal("GOALSITE_MIN_PROGRESS_PER_USD", default="0", minimum="0")
GOALSITE_BREAKER_FAILURES = env.integer("GOALSITE_BREAKER_FAILURES", default=5, minimum=1, maximum=1000)
GOALSITE_BREAKER_SECONDS = env.integer("GOALSITE_BREAKER_SECONDS", default=15, minimum=1, maximum=3600)
GOALSITE_BREAKER_LONGEST_SECONDS = env.integer(
    "GOALSITE_BREAKER_LONGEST_SECONDS", default=600, minimum=1, maximum=86_400
)
GOALSITE_REMIND_AFTER = env.integer("GOALSITE_REMIND_AFTER", default=14_400, minimum=1, maximum=31_536_000)
GOALSITE_PAUSE_UNANSWERED_AFTER = env.integer(
    "GOALSITE_PAUSE_UNANSWERED_AFTER", default=86_400, minimum=1, maximum=31_536_000
)
GOALSITE_LEASE_SECONDS = env.integer("GOALSITE_LEASE_SECONDS", default=10, minimum=1, maximum=3600)
GOALSITE_CANARY_SECONDS = env.integer("GOALSITE_CANARY_SECONDS", default=20, minimum=2, maximum=3600)
# Where the platform and the goals meet: the task that a wake-up runs, and what a task asks to know whether to end soon.
GOALSITE_WAKE_UP = "goals.tasks.drive_runnable"
GOALSITE_STOP_ASKED = "goalsite.stopping.asked"
GOALSITE_SOP_RULES = "goals.sop_rules.sop_rules"
GOALSITE_PULSE = "goalsite.pulse.pulse"
GOALSITE_OPERATOR = "goalsite.login_once.operator"
GOALSITE_ARTIFACT_ACCESS = "goals.api.access.visible_contexts"
GOALSITE_DRIVERS = env.integer("GOALSITE_DRIVERS", default=64, minimum=1, maximum=1000)

# Calls of the API a minute, by each token and by each person who is signed in; 0 is no limit.
GOALSITE_API_READS = env.integer("GOALSITE_API_READS", default=1200, minimum=0, maximum=1_000_000)
GOALSITE_API_CHANGES = env.integer("GOALSITE_API_CHANGES", default=300, minimum=0, maximum=1_000_000)
# Places at which one person may wait for events, in each web process.
GOALSITE_API_FOLLOWERS = env.integer("GOALSITE_API_FOLLOWERS", default=20, minimum=1, maximum=10_000)
# Seconds that a long poll may wait at most; a proxy in front must be as patient.
GOALSITE_API_WAIT = env.integer("GOALSITE_API_WAIT", default=60, minimum=1, maximum=600)
# A search of the API is given up after this long, and its asker told to ask for less.
GOALSITE_SEARCH_SECONDS = env.integer("GOALSITE_SEARCH_SECONDS", default=5, minimum=1, maximum=300)

# With a token, `/metrics` is told to whoever brings it; without, to this machine.
GOALSITE_METRICS_TOKEN = env.text("GOALSITE_METRICS_TOKEN", default="")

# Traces go where OpenTelemetry's own variables say (`goalsite.traces`); what was said goes along only on demand.
GOALSITE_TRACES = env.traces("OTEL_EXPORTER_OTLP_ENDPOINT")
GOALSITE_TRACED_TEXTS = env.boolean("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", default=False)

LOGGING = logs.configuration(
    env.choice("GOALSITE_LOG_LEVEL", default="INFO", choices=("DEBUG", "INFO", "WARNING", "ERROR")),
    env.choice("GOALSITE_LOG_FORMAT", default="plain", choices=("plain", "json")),
)
