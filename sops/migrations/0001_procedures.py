"""The procedure library: SOPs, versions, steps, perspectives (pgvector) and uses."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import pgvector.django.indexes
import pgvector.django.vector
from pgvector.django import VectorExtension
from django.db import migrations, models

import sops.keys


class Migration(migrations.Migration):

    initial = True

    dependencies = []

    operations = [
        VectorExtension(),
        migrations.CreateModel(
            name='Sop',
            fields=[
                ('id', models.UUIDField(default=sops.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('active', 'Active'), ('retired', 'Retired')], default='draft', max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'SOP',
                'ordering': ['slug'],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'active', 'retired'])), name='sop_status_known')],
            },
        ),
        migrations.CreateModel(
            name='SopVersion',
            fields=[
                ('id', models.UUIDField(default=sops.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(1)])),
                ('is_current', models.BooleanField(default=False)),
                ('title', models.CharField(max_length=200)),
                ('intent', models.TextField()),
                ('description', models.TextField(blank=True)),
                ('prerequisites', models.JSONField(blank=True, default=list)),
                ('inputs', models.JSONField(blank=True, default=list)),
                ('outputs', models.JSONField(blank=True, default=list)),
                ('tags', models.JSONField(blank=True, default=list)),
                ('quality', models.JSONField(blank=True, default=dict)),
                ('verifier', models.JSONField(blank=True, null=True)),
                ('origin', models.CharField(choices=[('library', 'Library'), ('imported', 'Imported'), ('person', 'Person'), ('distilled', 'Distilled')], default='imported', max_length=10)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('sop', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='sops.sop')),
            ],
            options={
                'verbose_name': 'SOP version',
                'ordering': ['sop', '-number'],
            },
        ),
        migrations.CreateModel(
            name='SopUse',
            fields=[
                ('id', models.UUIDField(default=sops.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('goal_id', models.UUIDField(db_index=True)),
                ('outcome', models.CharField(choices=[('running', 'Running'), ('achieved', 'Achieved'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='running', max_length=10)),
                ('cost', models.DecimalField(decimal_places=6, default=0, max_digits=14)),
                ('seconds', models.FloatField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='sops.sopversion')),
            ],
            options={
                'verbose_name': 'SOP use',
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='SopStep',
            fields=[
                ('id', models.UUIDField(default=sops.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveSmallIntegerField()),
                ('title', models.CharField(blank=True, max_length=200)),
                ('gloss', models.TextField()),
                ('predicate', models.CharField(choices=[('composite', 'Composite'), ('use_tool', 'Use Tool'), ('gather_info', 'Gather Info'), ('confirm', 'Confirm'), ('present_info', 'Present Info'), ('execute', 'Execute')], max_length=12)),
                ('operation', models.CharField(blank=True, choices=[('think', 'Think'), ('write', 'Write'), ('search', 'Search')], max_length=8)),
                ('evidence_key', models.CharField(blank=True, max_length=80)),
                ('tools', models.JSONField(blank=True, default=list)),
                ('args', models.JSONField(blank=True, default=dict)),
                ('done_when', models.JSONField(blank=True, default=list)),
                ('prompt', models.TextField(blank=True)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='sops.sopversion')),
            ],
            options={
                'verbose_name': 'SOP step',
                'ordering': ['version', 'position'],
            },
        ),
        migrations.CreateModel(
            name='Perspective',
            fields=[
                ('id', models.UUIDField(default=sops.keys.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('intent', 'Intent'), ('preconditions', 'Preconditions'), ('tools', 'Tools'), ('outcomes', 'Outcomes'), ('step', 'Step')], max_length=13)),
                ('text', models.TextField()),
                ('embedding', pgvector.django.vector.VectorField(dimensions=512)),
                ('embedder', models.CharField(max_length=120)),
                ('words', models.GeneratedField(db_persist=True, expression=django.contrib.postgres.search.SearchVector('text', config='english'), output_field=django.contrib.postgres.search.SearchVectorField())),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='perspectives', to='sops.sopversion')),
            ],
            options={
                'ordering': ['version', 'kind', 'id'],
            },
        ),
        migrations.AddConstraint(
            model_name='sopversion',
            constraint=models.UniqueConstraint(fields=('sop', 'number'), name='sopversion_number_once'),
        ),
        migrations.AddConstraint(
            model_name='sopversion',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('sop',), name='sopversion_one_current'),
        ),
        migrations.AddConstraint(
            model_name='sopversion',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='sopversion_number_positive'),
        ),
        migrations.AddConstraint(
            model_name='sopversion',
            constraint=models.CheckConstraint(condition=models.Q(('origin__in', ['library', 'imported', 'person', 'distilled'])), name='sopversion_origin_known'),
        ),
        migrations.AddConstraint(
            model_name='sopuse',
            constraint=models.UniqueConstraint(fields=('version', 'goal_id'), name='sopuse_once_per_goal'),
        ),
        migrations.AddConstraint(
            model_name='sopuse',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['running', 'achieved', 'failed', 'cancelled'])), name='sopuse_outcome_known'),
        ),
        migrations.AddConstraint(
            model_name='sopuse',
            constraint=models.CheckConstraint(condition=models.Q(('cost__gte', 0), ('seconds__gte', 0)), name='sopuse_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='sopstep',
            constraint=models.UniqueConstraint(fields=('version', 'position'), name='sopstep_position_once'),
        ),
        migrations.AddConstraint(
            model_name='sopstep',
            constraint=models.CheckConstraint(condition=models.Q(('predicate__in', ['composite', 'use_tool', 'gather_info', 'confirm', 'present_info', 'execute'])), name='sopstep_predicate_known'),
        ),
        migrations.AddConstraint(
            model_name='sopstep',
            constraint=models.CheckConstraint(condition=models.Q(('operation', ''), ('operation__in', ['think', 'write', 'search']), _connector='OR'), name='sopstep_operation_known'),
        ),
        migrations.AddIndex(
            model_name='perspective',
            index=pgvector.django.indexes.HnswIndex(ef_construction=64, fields=['embedding'], m=16, name='perspective_by_meaning', opclasses=['vector_cosine_ops']),
        ),
        migrations.AddIndex(
            model_name='perspective',
            index=django.contrib.postgres.indexes.GinIndex(fields=['words'], name='perspective_by_words'),
        ),
        migrations.AddConstraint(
            model_name='perspective',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['intent', 'preconditions', 'tools', 'outcomes', 'step'])), name='perspective_kind_known'),
        ),
    ]
